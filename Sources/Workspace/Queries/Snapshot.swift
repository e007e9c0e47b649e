import SQLite
import Synchronization

/// An unchanging state of a workspace, while others change it.
///
/// A snapshot is a value: only code that is given it fetches from it, on any thread. A snapshot taken during another one has its own state, and a
/// workspace knows nothing of another one's snapshots.
///
/// A snapshot never blocks writing. What is written meanwhile is kept beside the file until the snapshot ends; once that has grown to 64 MiB, the snapshot
/// is ended and its fetches throw ``WorkspaceError/snapshotExpired(path:)``.
public struct Snapshot: Sendable, FetchSource {
  let core: SnapshotCore

  /// Begins a query on the state.
  public func fetch<T: Storable>(for type: T.Type) -> Fetch<T> { Fetch(source: self) }

  /// Calls `body` with this snapshot, so that code with a source need not know whether it is a snapshot.
  public func fetchWithinASnapshot<Value>(_ body: (Snapshot) throws -> Value) rethrows -> Value { try body(self) }

  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result? {
    try core.fetch(type, body)
  }
}

/// The connection of a snapshot, and its state.
final class SnapshotCore: Sendable {
  private enum State {
    case open(DatabaseQueue)
    /// The workspace was already shut down.
    case empty
    case ended
    case expired
  }

  private struct Guarded {
    var state: State
    /// The number of running fetches; if the snapshot expires meanwhile, the last one returns the connection.
    var fetches = 0
  }

  private let objects: ObjectCatalog
  private let pool: ReaderPool
  private let path: String
  private let state: Mutex<Guarded>

  init(_ reader: DatabaseQueue, pool: ReaderPool, objects: ObjectCatalog, path: String) throws {
    self.pool = pool
    self.objects = objects
    self.path = path
    do {
      try reader.unsafeRead { db in
        try db.beginTransaction(.deferred)
        // A snapshot begins with the first read, which is this one.
        let statement = try RowStatement("SELECT 1 FROM sqlite_schema LIMIT 1", in: db)
        defer { statement.reset() }
        _ = try statement.step()
      }
    } catch {
      reader.unsafeRead { try? $0.rollback() }
      pool.giveBack(reader)
      throw WorkspaceError(error, path: path)
    }
    state = Mutex(Guarded(state: .open(reader)))
    pool.add(self)
  }

  /// Creates a snapshot of a workspace that was shut down.
  init(emptyIn pool: ReaderPool, objects: ObjectCatalog, path: String) {
    self.pool = pool
    self.objects = objects
    self.path = path
    state = Mutex(Guarded(state: .empty))
  }

  deinit {
    if case .open(let reader) = state.withLock({ $0.state }) { giveBack(reader) }
  }

  func fetch<Result>(_ type: any Storable.Type, _ body: (Database) throws -> Result) throws -> Result? {
    try objects.check(type, path: path)
    guard let reader = try begin() else { return nil }
    defer { finish(reader) }
    do {
      return try reader.unsafeRead(body)
    } catch {
      throw WorkspaceError(reading: error, path: path)
    }
  }

  private func begin() throws -> DatabaseQueue? {
    let path = path
    return try state.withLock { guarded -> DatabaseQueue? in
      switch guarded.state {
      case .open(let reader):
        guarded.fetches += 1
        return reader
      case .empty: return nil
      case .ended: throw WorkspaceError.snapshotEnded(path: path)
      case .expired: throw WorkspaceError.snapshotExpired(path: path)
      }
    }
  }

  private func finish(_ reader: DatabaseQueue) {
    let isOver = state.withLock { guarded -> Bool in
      guarded.fetches -= 1
      if case .open = guarded.state { return false }
      return guarded.fetches == 0
    }
    if isOver { giveBack(reader) }
  }

  func end() {
    finish(as: .ended)
    pool.remove(self)
  }

  func expire() {
    finish(as: .expired)
  }

  private func finish(as end: State) {
    let reader = state.withLock { guarded -> DatabaseQueue? in
      guard case .open(let reader) = guarded.state else { return nil }
      guarded.state = end
      return guarded.fetches == 0 ? reader : nil
    }
    if let reader { giveBack(reader) }
  }

  private func giveBack(_ reader: DatabaseQueue) {
    reader.unsafeRead { try? $0.rollback() }
    pool.giveBack(reader)
  }
}
