import Dispatch
import SQLite
import Synchronization

/// The connections for fetching objects. A fetch or a snapshot uses one exclusively while it lasts.
///
/// The number of borrowed connections is not limited: a fetch inside a snapshot inside a snapshot must not wait for itself. A few are kept for reuse; the
/// others are closed when they are returned.
final class ReaderPool: Sendable {
  private struct State {
    var idle: [DatabaseQueue] = []
    var lent = 0
    var isClosed = false
    var whenDrained: [@Sendable () -> Void] = []
    var snapshots: [ObjectIdentifier: WeakSnapshot] = [:]
    var isWatchingLog = false

    mutating func takeDrained() -> [@Sendable () -> Void] {
      guard isClosed, lent == 0 else { return [] }
      defer { whenDrained = [] }
      return whenDrained
    }
  }

  private struct WeakSnapshot {
    weak var core: SnapshotCore?
  }

  private static let kept = 4
  /// A longer log file has grown because a reader prevents it from restarting: 64 MiB, as for the writer.
  private static let longestLog = 64 << 20

  private let files: WorkspaceFiles
  private let state = Mutex(State())

  init(files: WorkspaceFiles) {
    self.files = files
  }

  /// Borrows a connection; nil if the pool is closed.
  func borrow() throws(WorkspaceError) -> DatabaseQueue? {
    let (isClosed, idle) = state.withLock { state -> (Bool, DatabaseQueue?) in
      if state.isClosed { return (true, nil) }
      state.lent += 1
      return (false, state.idle.popLast())
    }
    if isClosed { return nil }
    if let idle { return idle }
    do {
      return try files.openReader()
    } catch {
      giveBack(nil)
      throw WorkspaceError(error, path: files.database)
    }
  }

  func giveBack(_ reader: DatabaseQueue?) {
    let (surplus, drained) = state.withLock { state -> (DatabaseQueue?, [@Sendable () -> Void]) in
      state.lent -= 1
      var surplus = reader
      if let reader, !state.isClosed, state.idle.count < Self.kept {
        state.idle.append(reader)
        surplus = nil
      }
      return (surplus, state.takeDrained())
    }
    try? surplus?.close()
    for body in drained { body() }
  }

  /// Closes the pool, and calls `body` once every borrowed connection has been returned and closed.
  func close(_ body: @escaping @Sendable () -> Void) {
    let (idle, drained) = state.withLock { state -> ([DatabaseQueue], [@Sendable () -> Void]) in
      state.isClosed = true
      let idle = state.idle
      state.idle = []
      state.whenDrained.append(body)
      return (idle, state.takeDrained())
    }
    for reader in idle { try? reader.close() }
    for body in drained { body() }
  }

  func add(_ snapshot: SnapshotCore) {
    let isFirst = state.withLock { state in
      state.snapshots[ObjectIdentifier(snapshot)] = WeakSnapshot(core: snapshot)
      defer { state.isWatchingLog = true }
      return !state.isWatchingLog
    }
    if isFirst { watchLog() }
  }

  /// Checks the log's length every second while there are snapshots. The writer knows it better, but a process that only reads has no writer, and must not
  /// prevent the log from restarting either.
  private func watchLog() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self else { return }
      let hasSnapshots = state.withLock { state in
        state.isWatchingLog = !state.snapshots.isEmpty
        return state.isWatchingLog
      }
      guard hasSnapshots else { return }
      if files.logLength > Self.longestLog { expireSnapshots() }
      watchLog()
    }
  }

  func remove(_ snapshot: SnapshotCore) {
    state.withLock { _ = $0.snapshots.removeValue(forKey: ObjectIdentifier(snapshot)) }
  }

  /// Ends the snapshots that prevent the write-ahead log from restarting.
  func expireSnapshots() {
    let all = state.withLock { state in
      defer { state.snapshots = [:] }
      return state.snapshots.values.compactMap(\.core)
    }
    for snapshot in all { snapshot.expire() }
  }
}
