import Workspace

/// Forgets runs with their logs and results, also on a disk that is full.
///
/// The records go first, because a record without its files tells of what is not there. But to delete a record needs space itself, for SQLite's log. So
/// where there is none, the files of the runs that were selected go first, the oldest run's before all others, and only until the records can
/// follow. When that is interrupted, or the disk stays full, runs are left that have ended and have lost their files: `logs` and whatever wants
/// such a result say that the file is missing, nothing takes it for an empty one, and the next pruning forgets the runs. Files of runs that are
/// kept, those that a kept run has reused included, are never touched.
package struct Pruning {
  /// How much is freed before the records are tried again. SQLite's log takes a page or two for each run.
  private static let step: Int64 = 1 << 20

  private let directories: RunDirectories
  /// What forgets the records: ``History/prune(_:dryRun:)``. Tests let it fail.
  private let forget: (PruneRule, _ dryRun: Bool) throws(WorkspaceError) -> PruneReport

  /// Forgets runs of `history`, because `requester` asks for it.
  package init(_ history: History, for requester: Requester? = nil) {
    self.init(workspace: history.workspace.directory) { rule, dryRun throws(WorkspaceError) in
      try history.prune(rule, dryRun: dryRun, for: requester)
    }
  }

  /// Forgets runs of `history`, recorded in an entry of the audit that may be about others as well.
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

  /// Forgets what the rule names, or with `dryRun` says what that would be.
  ///
  /// - Returns: The runs, and the files that went, or would go, with them.
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
    // The latest are first in it.
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
