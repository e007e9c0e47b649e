import SQLite

/// A connection in use: fetches from it are part of its transaction.
private struct ConnectionSource: FetchSource {
  let db: Database

  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result? {
    do {
      return try body(db)
    } catch let error where error is UnreadableRow || error is UnsuitableValue {
      throw WorkspaceError(reading: error, path: db.workspaceDirectory + "/workspace.db")
    }
  }
}

extension Database {
  /// Begins a query on the connection, inside of its transaction. Does not check that the type belongs to the workspace.
  package func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: ConnectionSource(db: self)) }
}

extension Database {
  /// Calls `body` with a context that changes objects of these types inside of the connection's transaction; ``OpenWorkspace/write(changing:_:)`` notifies
  /// the subscribers at its end. Requests cost more here than in their own transaction, since each call creates a context.
  ///
  /// - Throws: Any error that `body` throws; ``WorkspaceError`` if the transaction cannot continue.
  @discardableResult
  package func changing<Value>(
    _ types: [any Storable.Type], _ body: (ChangeContext) throws -> Value
  ) throws -> Value {
    let context = ChangeContext(
      self, ConnectionStatements(areKept: true), types: types, watched: [:], path: workspaceDirectory + "/workspace.db")
    defer { context.end() }
    do {
      let value = try body(context)
      try context.finish()
      return value
    } catch let error as ChangeError {
      if case .workspace(let cause) = error.cause { throw cause }
      throw error
    }
  }
}
