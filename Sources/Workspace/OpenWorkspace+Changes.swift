import SQLite

extension OpenWorkspace {
  /// Runs a transaction in the background.
  ///
  /// Transactions of one workspace run one after the other, in the order of the calls; those of several processes exclude each other. Whatever
  /// `changesHandler` fetches from its context therefore remains true until it returns. It delays all other changes meanwhile: compute first, submit last.
  ///
  /// - Parameters:
  ///   - types: The types that are fetched or submitted in the transaction. Any other type is refused with ``ChangeError/Cause/undeclaredType``.
  ///   - changesHandler: Makes the changes. If it throws, none of them take effect. It must not wait for another transaction; ``write(_:)`` inside of it
  ///     throws ``WorkspaceError/locked(path:)``. [the workspace's writing thread]
  ///   - completionHandler: Receives the result of `changesHandler`, after the commit and after the subscribers; or the error that it threw; or a
  ///     ``ChangeError``. Completion handlers are called one after the other. [a thread of the workspace] It has no default, because otherwise this
  ///     function would be chosen over the async one in top-level code.
  public func performChanges<Value: Sendable>(
    _ types: [any Storable.Type], changesHandler: @escaping @Sendable (ChangeContext) throws -> Value,
    completionHandler: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let completions = completions
    change(types, changesHandler) { result in completions.async { completionHandler(result) } }
  }

  /// Runs a transaction, and returns the result of `changesHandler` once it is committed and the subscribers have been notified.
  ///
  /// Like ``performChanges(_:changesHandler:completionHandler:)``, except that `changesHandler` runs on the task's own thread if nothing else is being
  /// written. Cancelling the task does not stop it.
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

  /// The result of a transaction on the caller's thread.
  private struct Outcome {
    let error: (any Error)?
    /// Whether there are no subscribers to wait for.
    let isDelivered: Bool
  }

  /// Not generic: in a small transaction, most of the time would be spent looking up types.
  private func changeNow(_ types: [any Storable.Type], _ handler: (ChangeContext) throws -> Void) -> Outcome? {
    // An error here occurs again on the other path, which reports it.
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
    // Does not retain the workspace, which must not be released on its own connection's queue.
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

/// Runs the handler in a transaction that has begun. Returns what subscribers need once it is committed.
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

/// Converts the error of a transaction: errors of SQLite and of the workspace become a ``ChangeError``; a handler's own errors are unchanged.
private func failure(_ error: any Error, path: String) -> any Error {
  switch error {
  case let error as WorkspaceError: ChangeError(cause: .workspace(error))
  case let error as DatabaseError: ChangeError(cause: .workspace(WorkspaceError(error, path: path)))
  default: error
  }
}
