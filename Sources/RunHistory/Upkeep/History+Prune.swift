import SQLite
import Workspace

/// Selects the runs to delete from the history.
public struct PruneRule: Sendable, Hashable {
  /// Only runs created before the instant.
  public var olderThan: RecordTime?
  /// Keep this many of the latest runs of each pipeline.
  public var keep: Int?
  /// Only pipelines with that name or pattern.
  public var pipeline: String?
  /// Only runs that have all of these labels; others do not count among the latest either.
  public var labels: [RunLabel] = []
  /// The maximum number of runs, the latest first; nil for all. The rest is found by the next call.
  public var limit: Int?
  /// Whether interrupted runs, which `resume` could continue, are deleted as well.
  public var includesInterrupted: Bool

  /// Creates a rule. All its conditions must be true; a rule with neither an instant nor a number deletes nothing.
  public init(
    olderThan: RecordTime? = nil, keep: Int? = nil, pipeline: String? = nil, includesInterrupted: Bool = false
  ) {
    self.olderThan = olderThan
    self.keep = keep
    self.pipeline = pipeline
    self.includesInterrupted = includesInterrupted
  }
}

/// What was, or would be, deleted.
public struct PruneReport: Sendable, Hashable {
  /// The runs, including nested ones. The caller may remove the log directories of exactly these.
  public var runs: [RunID] = []
  /// The number of deleted operation records.
  public var operations = 0
  /// The number of deleted attempt records.
  public var attempts = 0

  /// Creates a report.
  public init(runs: [RunID] = [], operations: Int = 0, attempts: Int = 0) {
    self.runs = runs
    self.operations = operations
    self.attempts = attempts
  }
}

extension History {
  /// Deletes ended runs that match the rule, with the runs nested in them.
  ///
  /// The following are kept: a run that is active; one that was interrupted and waits for `resume`, unless the rule includes these; one with a result
  /// file or artifacts that a kept run has reused; and one with items or nested runs that a run which has not succeeded may reuse. A nested run is
  /// deleted with the run that started it, or by itself if that is not in the workspace, as after a partial import. With `dryRun` nothing is changed.
  /// Runs are deleted 100 at a time, so that other writers need not wait long; if an error ends it early, what was deleted so far is complete, and
  /// another call finds the rest. A `requester` is recorded.
  public func prune(
    _ rule: PruneRule, dryRun: Bool = false, for requester: Requester? = nil
  ) throws(WorkspaceError) -> PruneReport {
    let entry = requester.map { CountedEntry(AuditEntry(time: .now, by: $0, .prune, rule.pipeline ?? "*")) }
    return try prune(rule, dryRun: dryRun, in: entry)
  }

  /// Deletes runs, recorded in an audit entry that other rules may share.
  package func prune(
    _ rule: PruneRule, dryRun: Bool = false, in entry: CountedEntry?
  ) throws(WorkspaceError) -> PruneReport {
    let doomed = try read { try PruneSelection(rule: rule).runs(in: $0) }
    var report = PruneReport()
    var rest = doomed.prefix(rule.limit ?? .max)
    while !rest.isEmpty {
      let part = rest.prefix(100)
      rest = rest.dropFirst(part.count)
      if dryRun {
        try read { try PruneSelection.count(part, into: &report, in: $0) }
      } else {
        let former = report.runs.count
        let written = try write { db in
          try PruneSelection.delete(part, into: &report, in: db)
          return try entry?.write(report.runs.count - former, in: db)
        }
        if let written { entry?.confirm(written) }
      }
    }
    return report
  }
}

/// Finds the runs that match a rule, and deletes them.
struct PruneSelection {
  let rule: PruneRule

  /// Returns the runs to delete, each followed by those nested in it.
  func runs(in db: Database) throws -> [RunRows.Numbered] {
    guard rule.olderThan != nil || rule.keep != nil else { return [] }
    var listing = RunFilter(pipeline: rule.pipeline, labels: rule.labels, order: .newestFirst)
    listing.includesParentless = true
    // The latest ones must be read to be counted; without a number to keep, only the older ones are read.
    if rule.keep == nil { listing.until = rule.olderThan }
    let order = RunListing(filter: listing)
    var seen: [String: Int] = [:]
    var families: [[RunRows.Numbered]] = []
    try db.fetch(for: StoredRun.self).walk(order.condition(), orderBy: order.order) { stored in
      guard let run = RunRows.Numbered(stored, in: db) else { return true }
      seen[run.record.pipeline, default: 0] += 1
      if let keep = rule.keep, seen[run.record.pipeline, default: 0] <= keep { return true }
      if let olderThan = rule.olderThan, run.record.createdAt >= olderThan { return true }
      families.append([run])
      return true
    }
    for index in families.indices { try addNested(to: &families[index], in: db) }
    families.removeAll { family in
      // Runs nested in an ended run can no longer be resumed.
      (!rule.includesInterrupted && family.first?.isInterrupted == true)
        || family.contains { !$0.record.state.isFinal && !$0.isAbandoned }
    }
    return try withoutReused(families, in: db).flatMap(\.self)
  }

  private func addNested(to family: inout [RunRows.Numbered], in db: Database) throws {
    var next = 0
    while next < family.count {
      family += try RunRows.all(StoredRun.parent == family[next].record.id.text, in: db)
      next += 1
    }
  }

  /// Returns the families without runs that others still need, repeated until nothing more has to be kept.
  private func withoutReused(_ families: [[RunRows.Numbered]], in db: Database) throws -> [[RunRows.Numbered]] {
    // A run that has not succeeded may still reuse items of loops and nested runs, when it is resumed or retried.
    let uses = try Row.fetchAll(
      db,
      sql: """
        SELECT reused_from, r.id FROM operation_record o JOIN run_record r ON r.number = o.key >> 32
        WHERE o.reused_from IS NOT NULL AND (o.result_file IS NOT NULL OR json_extract(o.detail, '$.artifacts') IS NOT NULL)
        UNION SELECT source, id FROM run_record
        WHERE source IS NOT NULL AND selection LIKE '%"partial"%' AND state <> 'succeeded'
        """
    ).map { (source: $0[0] as String, user: $0[1] as String) }
    guard !uses.isEmpty else { return families }
    var families = families
    while true {
      let doomed = Set(families.flatMap { $0.map(\.record.id.text) })
      let needed = Set(uses.filter { !doomed.contains($0.user) && doomed.contains($0.source) }.map(\.source))
      if needed.isEmpty { return families }
      families.removeAll { family in family.contains { needed.contains($0.record.id.text) } }
    }
  }

  static func count(_ runs: ArraySlice<RunRows.Numbered>, into report: inout PruneReport, in db: Database) throws {
    for run in runs {
      report.runs.append(run.record.id)
      report.operations += try db.fetch(for: StoredOperation.self).count(where: StoredOperation.of(run.number))
      report.attempts += try db.fetch(for: StoredAttempt.self).count(where: StoredAttempt.of(run.number))
    }
  }

  static func delete(_ runs: ArraySlice<RunRows.Numbered>, into report: inout PruneReport, in db: Database) throws {
    var deleted = PruneReport()
    for run in runs {
      // A resume may have claimed the run since it was selected.
      guard let current = try RunRows.find(run.record.id, in: db), current.record.state.isFinal || current.isAbandoned
      else { continue }
      try db.changing([
        StoredRun.self, StoredOperation.self, StoredAttempt.self, StoredApproval.self, StoredRequest.self,
        StoredOccasion.self,
      ]) {
        deleted.attempts += try $0.delete(StoredAttempt.self, where: StoredAttempt.of(run.number))
        deleted.operations += try $0.delete(StoredOperation.self, where: StoredOperation.of(run.number))
        try $0.delete(StoredApproval.self, where: StoredApproval.of(run.number))
        try $0.delete(StoredRequest.self, where: StoredRequest.run == run.number)
        try $0.delete(StoredRun.self, where: StoredRun.number == run.number)
        // Occasions are kept longer.
        try $0.update(StoredOccasion.self, set: [StoredOccasion.run.set(nil)], where: StoredOccasion.run == run.number)
      }
      deleted.runs.append(run.record.id)
    }
    try db.execute(sql: NestedDefinitions.pruneSQL)
    report.runs += deleted.runs
    report.operations += deleted.operations
    report.attempts += deleted.attempts
  }
}
