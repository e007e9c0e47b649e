import Dispatch
import SQLite
import Synchronization

/// The connections on which objects are fetched. A fetch or a snapshot has one for itself for as long as it lasts.
///
/// There is no limit to how many are lent: a fetch inside a snapshot inside a snapshot must not wait for itself. A few are kept
/// for the next ones; the others are closed when they come back.
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
  /// A log file longer than this has grown because somebody keeps it from beginning anew: 64 MiB, as for the writer.
  private static let longestLog = 64 << 20

  private let files: WorkspaceFiles
  private let state = Mutex(State())

  init(files: WorkspaceFiles) {
    self.files = files
  }

  /// Lends a connection, or nil when the pool is closed.
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

  /// Lends nothing any more, and calls `body` once everything lent has come back and is closed.
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

  /// Looks at the log's length every second for as long as there are snapshots. The writer knows it better, but a process that only
  /// reads has none, and must not keep the log of others from beginning anew either.
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

  /// Ends the snapshots that keep the write-ahead log from being used anew.
  func expireSnapshots() {
    let all = state.withLock { state in
      defer { state.snapshots = [:] }
      return state.snapshots.values.compactMap(\.core)
    }
    for snapshot in all { snapshot.expire() }
  }
}
