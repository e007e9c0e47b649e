import Glibc
import SQLite
import Values
import Workspace

/// What `penstock doctor` checks inside a workspace, and what `--repair` does about it.
extension Checkup {
  /// A directory of a run without a record is only removed if it is older than this, in microseconds: a run that begins has its directory before its record.
  private static let youngest: Int64 = 10 * 60 * 1_000_000

  /// Checks the database; with `--repair`, replaces a damaged one by a sound one. Returns the history to continue with, if there is one.
  func checkDatabase(_ history: History, _ report: (Finding) -> Void) -> History? {
    let problems: [String]
    do {
      problems = try isRepairing ? history.workspace.checkIntegrity() : history.quickCheck()
    } catch {
      report(Finding(grade: .fail, subject: "database", message: Self.advice(error)))
      return history
    }
    guard !problems.isEmpty else {
      report(Finding(grade: .ok, subject: "database", message: "intact, schema \(HistorySchema.schema.version)"))
      return history
    }
    let message = "damaged: \(problems.prefix(5).joined(separator: "; "))"
    guard isRepairing else {
      report(Finding(grade: .fail, subject: "database", message: message + WorkspaceError.repair))
      return history
    }
    if problems.allSatisfy(Self.isAboutIndex), let rest = try? history.rebuildIndexes(), rest.isEmpty {
      report(Finding(grade: .fixed, subject: "database", message: message + ". Its indexes were rebuilt"))
      return history
    }
    history.workspace.close()
    return replaceDatabase(because: message, report)
  }

  /// Copies what can be saved of a damaged database into a new one.
  func replaceDatabase(because message: String, _ report: (Finding) -> Void) -> History? {
    do {
      let (saved, aside) = try DatabaseReplacement(workspace: location.path).run()
      let counts =
        "\(Count.of(saved.runs, "run")), \(Count.of(saved.operations, "operation")), \(Count.of(saved.attempts, "attempt"))"
      let strays =
        [(saved.strayOperations, "operation"), (saved.strayAttempts, "attempt")].filter { $0.0 > 0 }
        .map { Count.of($0.0, $0.1) }.joined(separator: " and ")
      let rest = strays.isEmpty ? "" : "; \(strays) were lost because their run or operation could not be read"
      report(
        Finding(
          grade: .fixed, subject: "database",
          message:
            "\(message). The data that could be read is in a new one (\(counts))\(rest); the damaged one is now '\(aside)'"
        ))
      return try History.open(at: location.path, mode: .readWrite)
    } catch {
      report(
        Finding(grade: .fail, subject: "database", message: "\(message). It was not repaired: \(Self.advice(error))"))
      return nil
    }
  }

  /// Whether only an index is damaged and the table itself is sound, judging by the messages of `PRAGMA integrity_check`.
  private static func isAboutIndex(_ problem: String) -> Bool {
    problem.contains("missing from index") || problem.contains("wrong # of entries in index")
      || problem.contains("non-unique entry in index")
  }

  /// Checks for runs that are recorded as active although their host no longer exists, leases of such hosts, and directories without a run.
  func checkRecords(_ history: History, hasLostRecords: Bool, isDamaged: Bool, _ report: (Finding) -> Void) {
    do {
      try checkAbandonedRuns(history, isDamaged: isDamaged, report)
      try checkLeases(history, report)
      try checkDirectories(history, hasLostRecords: hasLostRecords, report)
    } catch {
      report(Finding(grade: .fail, subject: "records", message: Self.advice(error)))
    }
  }

  /// Returns the advice for an error, whatever was being checked.
  private static func advice(_ error: any Error) -> String { (error as? WorkspaceError)?.advice ?? "\(error)" }

  private func checkAbandonedRuns(_ history: History, isDamaged: Bool, _ report: (Finding) -> Void) throws {
    let runs = try history.abandonedRuns()
    defer { if isRepairing { removeLeftoverResults(history, report) } }
    guard !runs.isEmpty else { return }
    let names =
      runs.prefix(3).map { (try? history.shortForm(of: $0)) ?? $0.text }.joined(separator: ", ")
      + (runs.count > 3 ? ", …" : "")
    let marked =
      isRepairing
      ? try history.markInterrupted()
      // A damaged database is written to only to repair it.
      : isDamaged ? [] : history.markInterruptedIfPossible()
    if isRepairing || !marked.isEmpty {
      report(
        Finding(
          grade: .fixed, subject: "hosts",
          message: "\(Count.of(marked.count, "run")) whose host is gone (\(names)) marked as interrupted"))
    } else {
      report(
        Finding(
          grade: .warn, subject: "hosts",
          message:
            "the host of \(Count.of(runs.count, "run")) is gone (\(names)), and the workspace cannot be written to mark them as interrupted"
        ))
    }
  }

  private func removeLeftoverResults(_ history: History, _ report: (Finding) -> Void) {
    guard let count = try? history.removeLeftoverResults(), count > 0 else { return }
    report(
      Finding(
        grade: .fixed, subject: "results",
        message:
          "removed \(Count.of(count, "result")) of interrupted runs that were never recorded and may contain secrets"))
  }

  private func checkLeases(_ history: History, _ report: (Finding) -> Void) throws {
    let (leases, needed) = try history.abandonedLeases()
    func names(_ leases: [Lease]) -> String {
      leases.prefix(3).map(\.name).joined(separator: ", ") + (leases.count > 3 ? ", …" : "")
    }
    if leases.isEmpty {
      let kept =
        "of interrupted runs (\(names(needed))): a process that acquires one first ends the processes that the former host left"
      report(
        Finding(
          grade: .ok, subject: "leases",
          message: needed.isEmpty ? "none of a process that is gone" : "\(Count.of(needed.count, "lease")) \(kept)"))
    } else if isRepairing {
      let count = try history.releaseAbandonedLeases()
      report(
        Finding(
          grade: .fixed, subject: "leases",
          message: "\(Count.of(count, "lease")) of hosts that are gone released (\(names(leases)))"))
    } else {
      report(
        Finding(
          grade: .warn, subject: "leases",
          message:
            "\(Count.of(leases.count, "lease")) of hosts that are gone (\(names(leases))): they block nothing; `penstock doctor --repair` removes them"
        ))
    }
  }

  private func checkDirectories(_ history: History, hasLostRecords: Bool, _ report: (Finding) -> Void) throws {
    let directories = RunDirectories(workspace: location.path)
    let now = RecordTime.now
    let old = directories.all().filter { now.microseconds - $0.time.microseconds > Self.youngest }
    let unknown = try history.unknown(among: old)
    guard !unknown.isEmpty else {
      return report(Finding(grade: .ok, subject: "logs", message: "each belongs to a run"))
    }
    let size = SizeNotation.format(directories.size(of: unknown))
    let what = "logs of \(Count.of(unknown.count, "run")) without a record (\(size))"
    // Right after a repair, or if the database was emptied, they are all that is left of runs.
    let advice =
      hasLostRecords
      ? "; kept, because their records may be among those that were lost"
      : try history.isWithoutRuns()
        ? "; kept, because the database contains no run at all. Restore a backup of it, or delete them by hand" : nil
    guard isRepairing, advice == nil else {
      report(
        Finding(
          grade: .warn, subject: "logs",
          message: "\(what) in '\(location.path)/runs'\(advice ?? "; `penstock doctor --repair` removes them")"))
      return
    }
    let removal = directories.remove(unknown)
    let failures = removal.failures.isEmpty ? "" : "; not all: \(removal.failures.prefix(3).joined(separator: ", "))"
    report(
      Finding(grade: removal.failures.isEmpty ? .fixed : .warn, subject: "logs", message: "removed \(what)\(failures)"))
  }
}

extension History {
  /// Returns what is wrong with the database, found without reading all of its indexes; empty if it is sound.
  fileprivate func quickCheck() throws -> [String] {
    do {
      return try read { try String.fetchAll($0, sql: "PRAGMA quick_check(5)").filter { $0 != "ok" } }
    } catch .corrupt(_, let message) {
      return [message]
    }
  }
}
