import SQLite
import Values
import Workspace

extension History {
  /// The leases whose processes are gone. They are free already, and only look as if they were held.
  ///
  /// - Returns: Those that nothing needs any more, and those of runs that have not ended: whoever takes one of these knows by it whose
  ///   processes to end first.
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

  /// Gives back the leases whose processes are gone and that nothing needs; returns how many there were.
  func releaseAbandonedLeases() throws(WorkspaceError) -> Int {
    let released = try write { db in
      try RunOwnership.markAbandoned(in: db)
      return try Self.abandonedLeases(in: db).useless
        .filter { try Leases.release($0.name, fence: $0.fence, in: db) }.count
    }
    if released > 0 { workspace.announce() }
    return released
  }

  /// The runs that are recorded as going on though their process is gone.
  func abandonedRuns() throws(WorkspaceError) -> [RunID] {
    try read { try RunOwnership.abandoned(in: $0) }.map(\.record.id)
  }

  /// Those of the runs that have no record.
  func unknown(among runs: [RunID]) throws(WorkspaceError) -> [RunID] {
    try read { db in try runs.filter { try RunRows.number(of: $0, in: db) == nil } }
  }

  /// Whether no run is recorded, not even one that another run started.
  func isWithoutRuns() throws(WorkspaceError) -> Bool {
    try runs(RunFilter(includesNested: true, limit: 1)).isEmpty
  }

  /// Makes the indexes anew. Returns what is wrong with the database afterwards.
  func rebuildIndexes() throws -> [String] {
    try write { try $0.execute(sql: "REINDEX") }
    return try workspace.checkIntegrity()
  }
}
