import SQLite

/// A connection that somebody is using: what is fetched from it is of its transaction.
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
  /// Begins a query on the connection, inside of its transaction. Whether the type is one of the workspace's is not looked at.
  package func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: ConnectionSource(db: self)) }
}

extension Database {
  /// Calls `body` with what changes objects of these types inside of the connection's transaction, with whose end the subscribers are told by
  /// ``OpenWorkspace/write(changing:_:)``. Requests cost more here than in a transaction of their own, as each call makes a context.
  ///
  /// - Throws: What `body` throws; ``WorkspaceError`` where the transaction cannot go on.
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
