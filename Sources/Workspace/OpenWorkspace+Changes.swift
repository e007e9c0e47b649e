import SQLite

extension OpenWorkspace {
  /// Runs a transaction in the background.
  ///
  /// Transactions of one workspace run one after the other, in the order of the calls; those of several processes exclude each
  /// other. So whatever `changesHandler` fetches from its context is true until it returns. It holds up every other change meanwhile:
  /// compute first, submit last.
  ///
  /// - Parameters:
  ///   - types: The types that are fetched or submitted in the transaction. Any other type is refused with
  ///     ``ChangeError/Cause/undeclaredType``.
  ///   - changesHandler: What is done. If it throws, nothing of it has happened. It must not wait for another transaction;
  ///     ``write(_:)`` inside of it throws ``WorkspaceError/locked(path:)``.
  ///     [the workspace's writing thread]
  ///   - completionHandler: Is told what `changesHandler` returned, after the commit and after the subscribers; or what it threw; or a
  ///     ``ChangeError``. Completion handlers are called one after the other. [a thread of the workspace] It has no default: without it, code at the top
  ///     level of a program would take this function for the one that is awaited.
  public func performChanges<Value: Sendable>(
    _ types: [any Storable.Type], changesHandler: @escaping @Sendable (ChangeContext) throws -> Value,
    completionHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let completions = completions
    change(types, changesHandler) { result in completions.async { completionHandler(result) } }
  }

  /// Runs a transaction, and returns what `changesHandler` returns when it is committed and the subscribers have been told.
  ///
  /// As ``performChanges(_:changesHandler:completionHandler:)``, but if nothing else is being written, `changesHandler` runs on the
  /// task's own thread. Cancelling the task does not stop it.
  @discardableResult
  public func performChanges<Value: Sendable>(
    _ types: [any Storable.Type], changesHandler: @escaping @Sendable (ChangeContext) throws -> Value
  ) async throws -> Value {
    var value: Value?
    if let outcome = changeNow(types, { value = try changesHandler($0) }) {
      if !outcome.isDelivered {
        await withCheckedContinuation { continuation in feed.whenDelivered { continuation.resume() } }
      }
      if let error = outcome.error { throw error }
      guard let value else { preconditionFailure("what was committed has run") }
      return value
    }
    return try await withCheckedThrowingContinuation { continuation in
      change(types, changesHandler) { continuation.resume(with: $0) }
    }
  }

  /// What has come of a transaction on the caller's thread.
  private struct Outcome {
    let error: (any Error)?
    /// Whether there is no subscriber to wait for.
    let isDelivered: Bool
  }

  /// Not generic, as what a small transaction takes would be the looking up of types.
  private func changeNow(_ types: [any Storable.Type], _ handler: (ChangeContext) throws -> Void) -> Outcome? {
    // What goes wrong here goes wrong again where it is reported.
    for type in types where (try? objects.check(type, path: path)) == nil { return nil }
    guard let writer = try? writer() else { return nil }
    var isDelivered = true
    let result = writer.changeNow { db, statements in
      let (_, record, number) = try run(handler, types, db, statements, writer, feed, path: path)
      return (record, number)
    } committed: { record, number in
      isDelivered = feed.commit(record, number: number)
    }
    switch result {
    case nil: return nil
    case .success: return Outcome(error: nil, isDelivered: isDelivered)
    case .failure(let error): return Outcome(error: failure(error, path: path), isDelivered: !feed.isDelivering)
    }
  }

  private func change<Value: Sendable>(
    _ types: [any Storable.Type], _ handler: @escaping @Sendable (ChangeContext) throws -> Value,
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let writer: WriterConnection
    do throws(WorkspaceError) {
      for type in types { try objects.check(type, path: path) }
      writer = try self.writer()
    } catch {
      return feed.whenDelivered { completion(.failure(ChangeError(cause: .workspace(error)))) }
    }
    let feed = feed
    let path = path
    // It does not hold the workspace, which must not go on the queue of its own connection.
    writer.asyncChange { db, statements in
      try run(handler, types, db, statements, writer, feed, path: path)
    } completion: { (result: Result<(Value, CommitRecord, UInt64), any Error>) in
      switch result {
      case .success(let (value, record, number)):
        feed.commit(record, number: number) { completion(.success(value)) }
      case .failure(let error):
        feed.whenDelivered { completion(.failure(failure(error, path: path))) }
      }
    }
  }
}

/// Runs the handler in a transaction that has begun. Returns what subscribers must know once it is committed.
private func run<Value>(
  _ handler: (ChangeContext) throws -> Value, _ types: [any Storable.Type], _ db: Database,
  _ statements: ConnectionStatements, _ writer: WriterConnection, _ feed: ChangeFeed, path: String
) throws -> (Value, CommitRecord, UInt64) {
  let watched = feed.watchedTypes
  if !watched.isEmpty, writer.hasForeignChanges(db) { feed.publish(.unknown) }
  let context = ChangeContext(db, statements, types: types, watched: watched, path: path)
  defer { context.end() }
  let value = try handler(context)
  try context.finish()
  return (value, context.commit, feed.beginCommit())
}

/// What a transaction fails with: the errors of SQLite and of the workspace become a change's; what a handler throws of its own
/// stays what it is.
private func failure(_ error: any Error, path: String) -> any Error {
  switch error {
  case let error as WorkspaceError: ChangeError(cause: .workspace(error))
  case let error as DatabaseError: ChangeError(cause: .workspace(WorkspaceError(error, path: path)))
  default: error
  }
}
