import Workspace

/// Deletes runs with their logs and results, even on a full disk.
///
/// The records are deleted first, because a record without its files refers to something that does not exist. But deleting a record itself requires
/// space for SQLite's log. If there is none, files of the selected runs are deleted first, beginning with the oldest run, and only until the records
/// can be deleted. If this is interrupted, or the disk stays full, ended runs without their files remain: `logs` and anything that needs such a
/// result reports the missing file, nothing treats it as empty, and the next pruning deletes the runs. Files of kept runs, including those that a
/// kept run has reused, are never touched.
package struct Pruning {
  /// How many bytes are freed before deleting the records is retried. SQLite's log takes a page or two for each run.
  private static let step: Int64 = 1 << 20

  private let directories: RunDirectories
  /// Deletes the records: ``History/prune(_:dryRun:for:)``. Tests let it fail.
  private let forget: (PruneRule, _ dryRun: Bool) throws(WorkspaceError) -> PruneReport

  /// Deletes runs of `history` on behalf of `requester`.
  package init(_ history: History, for requester: Requester? = nil) {
    self.init(workspace: history.workspace.directory) { rule, dryRun throws(WorkspaceError) in
      try history.prune(rule, dryRun: dryRun, for: requester)
    }
  }

  /// Deletes runs of `history`, recorded in an audit entry that may be shared.
  package init(_ history: History, in entry: CountedEntry) {
    self.init(workspace: history.workspace.directory) { rule, dryRun throws(WorkspaceError) in
      try history.prune(rule, dryRun: dryRun, in: entry)
    }
  }

  init(
    workspace: String, forget: @escaping (PruneRule, _ dryRun: Bool) throws(WorkspaceError) -> PruneReport
  ) {
    directories = RunDirectories(workspace: workspace)
    self.forget = forget
  }

  /// Deletes the runs that match the rule, or with `dryRun` returns what that would be.
  ///
  /// - Returns: The runs, and the files that were, or would be, deleted with them.
  /// - Throws: ``WorkspaceError``; `full` if the records could not be deleted even without the files.
  package func run(
    _ rule: PruneRule, dryRun: Bool = false
  ) throws(WorkspaceError) -> (report: PruneReport, removal: RunDirectories.Removal) {
    var removal = RunDirectories.Removal()
    if dryRun {
      let report = try forget(rule, true)
      removal.bytes = directories.size(of: report.runs)
      return (report, removal)
    }
    let report: PruneReport
    do {
      report = try forget(rule, false)
    } catch {
      guard case .full = error else { throw error }
      report = try makeRoom(rule, &removal)
    }
    removal.add(directories.remove(report.runs))
    return (report, removal)
  }

  private func makeRoom(
    _ rule: PruneRule, _ removal: inout RunDirectories.Removal
  ) throws(WorkspaceError) -> PruneReport {
    // The latest run is first.
    var rest = try forget(rule, true).runs
    while true {
      let before = removal.bytes
      while removal.bytes - before < Self.step, let run = rest.popLast() { removal.add(directories.remove([run])) }
      do {
        return try forget(rule, false)
      } catch {
        guard case .full = error, !rest.isEmpty else { throw error }
      }
    }
  }
}
