import SQLite

extension OpenWorkspace: FetchSource {
  /// Begins a query. Each query sees everything committed before it, and never waits for a change.
  public func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: self) }

  /// Lets `body` fetch from the state of the workspace at the call, unaffected by later changes.
  ///
  /// Fetch from the snapshot passed to `body`: the workspace itself continues to show the latest state. After ``shutdown()`` the snapshot is empty.
  public func fetchWithinASnapshot<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
    let snapshot = try snapshot()
    defer { snapshot.core.end() }
    return try body(snapshot)
  }

  private func snapshot() throws -> Snapshot {
    guard !isClosed, let reader = try readers.borrow() else {
      return Snapshot(core: SnapshotCore(emptyIn: readers, objects: objects, path: path))
    }
    return Snapshot(core: try SnapshotCore(reader, pool: readers, objects: objects, path: path))
  }

  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result? {
    try objects.check(type, path: path)
    guard !isClosed, let reader = try readers.borrow() else { return nil }
    defer { readers.giveBack(reader) }
    do {
      return try reader.unsafeRead(body)
    } catch {
      throw WorkspaceError(reading: error, path: path)
    }
  }
}
