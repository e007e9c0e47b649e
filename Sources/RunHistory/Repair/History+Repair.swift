import SQLite
import Values
import Workspace

extension History {
  /// Returns the leases whose processes no longer exist. They are free already, and only appear to be held.
  ///
  /// - Returns: Those that are no longer needed, and those of runs that have not ended, which identify the processes that the next holder has to
  ///   terminate first.
  func abandonedLeases() throws(WorkspaceError) -> (useless: [Lease], needed: [Lease]) {
    try read { try Self.abandonedLeases(in: $0) }
  }

  private static func abandonedLeases(in db: Database) throws -> (useless: [Lease], needed: [Lease]) {
    var found: (useless: [Lease], needed: [Lease]) = ([], [])
    for lease in try Leases.all(in: db) where !lease.owner.isAlive(in: db) {
      let run = try LeaseHolder(lease.holder)?.run.flatMap { try RunRows.find($0, in: db) }
      if let run, !run.record.state.isFinal || run.record.state == .interrupted {
        found.needed.append(lease)
      } else {
        found.useless.append(lease)
      }
    }
    return found
  }

  /// Releases the leases whose processes no longer exist and that are not needed. Returns how many there were.
  func releaseAbandonedLeases() throws(WorkspaceError) -> Int {
    let released = try write { db in
      try RunOwnership.markAbandoned(in: db)
      return try Self.abandonedLeases(in: db).useless
        .filter { try Leases.release($0.name, fence: $0.fence, in: db) }.count
    }
    if released > 0 { workspace.announce() }
    return released
  }

  /// Returns the runs that are recorded as active although their process no longer exists.
  func abandonedRuns() throws(WorkspaceError) -> [RunID] {
    try read { try RunOwnership.abandoned(in: $0) }.map(\.record.id)
  }

  /// Returns those of the runs that have no record.
  func unknown(among runs: [RunID]) throws(WorkspaceError) -> [RunID] {
    try read { db in try runs.filter { try RunRows.number(of: $0, in: db) == nil } }
  }

  /// Whether no run is recorded, not even a nested one.
  func isWithoutRuns() throws(WorkspaceError) -> Bool {
    try runs(RunFilter(includesNested: true, limit: 1)).isEmpty
  }

  /// Rebuilds the indexes. Returns what is wrong with the database afterwards.
  func rebuildIndexes() throws -> [String] {
    try write { try $0.execute(sql: "REINDEX") }
    return try workspace.checkIntegrity()
  }
}
