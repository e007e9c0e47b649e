import Expressions
import SQLite
import Workspace

/// Evaluates a ``RunFilter`` by one ordered scan of the runs of a pipeline, or by one index scan for each requested state, which stops when there are enough.
struct RunListing {
  /// A pipeline with fewer runs than this is scanned whatever the states.
  private static let short = 1000

  let filter: RunFilter
  /// Whether the filter's condition is evaluated for the remaining runs.
  private var evaluates = true

  init(filter: RunFilter) {
    self.filter = filter
  }

  func runs(in db: Database) throws -> [RunRecord] {
    if filter.condition != nil {
      guard let narrowed = try narrowed(in: db) else { return [] }
      var listing = RunListing(filter: narrowed)
      listing.evaluates = evaluates
      return try listing.states(in: db)
    }
    return try states(in: db)
  }

  /// Returns the runs for which the condition remains to be evaluated.
  func candidates(in db: Database) throws -> [RunRecord] {
    var listing = self
    listing.evaluates = false
    return try listing.runs(in: db)
  }

  /// Returns the filter with what its condition implies for pipeline, states and time, as far as an index can use it, or nil if no run can match.
  private func narrowed(in db: Database) throws -> RunFilter? {
    guard let condition = filter.condition else { return filter }
    var filter = filter
    let sql = RunConditionSQL(condition)
    if let states = sql.states {
      filter.states = filter.states.isEmpty ? states : filter.states.intersection(states)
      if filter.states.isEmpty { return nil }
      // One scan of everything is shorter than a scan for each of nearly all states.
      if self.filter.states.isEmpty, filter.states.count > 4 { filter.states = [] }
    }
    if let since = sql.since { filter.since = max(since, filter.since ?? since) }
    if let until = sql.until { filter.until = min(until, filter.until ?? until) }
    if filter.pipeline == nil, let wanted = sql.pipelines {
      // In any letter case, which the index does not support.
      let names = try PipelineNames.all(in: db).filter { name in
        wanted.contains { OrdinalIgnoreCase.equal($0, name) }
      }
      if names.isEmpty { return nil }
      if names.count == 1, !names[0].contains(where: { "*?[".contains($0) }) { filter.pipeline = names[0] }
    }
    return filter
  }

  private func states(in db: Database) throws -> [RunRecord] {
    guard !filter.states.isEmpty else { return try walk([], in: db) }
    // An interrupted run may still be recorded as active if nothing could be written since.
    var recorded = filter.states
    if recorded.contains(.interrupted) { recorded.formUnion([.running, .queued]) }
    if try isWalkedByPipeline(recorded, in: db) { return try walk(recorded, ofPipeline: true, in: db) }
    // Each state's scan is ordered and no longer than the limit, so the result is among them.
    let all = try recorded.flatMap { try walk([$0], in: db) }.sorted { before($0, $1) }
    return filter.limit.map { Array(all.prefix($0)) } ?? all
  }

  /// Whether the runs of the pipeline are scanned rather than those in the states, which may belong to thousands of pipelines: if nearly all of them
  /// are requested, or if the pipeline has few, unless active runs are requested, which are fewer.
  func isWalkedByPipeline(_ states: Set<RunState>, in db: Database) throws -> Bool {
    guard let pipeline = exactPipeline, !states.isSubset(of: [.queued, .running, .interrupted]) else { return false }
    if states.isSuperset(of: [.succeeded, .failed]) { return true }
    let count = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT count(*) FROM (SELECT 1 FROM run_record WHERE pipeline = ? LIMIT \(Self.short))"),
      arguments: [pipeline])
    return count ?? 0 < Self.short
  }

  /// The name of the pipeline, unless it is a pattern.
  private var exactPipeline: String? {
    filter.pipeline.flatMap { $0.contains { "*?[".contains($0) } ? nil : $0 }
  }

  private func before(_ left: RunRecord, _ right: RunRecord) -> Bool {
    let isEarlier = (left.createdAt, left.id) < (right.createdAt, right.id)
    return filter.order == .oldestFirst ? isEarlier : !isEarlier && left.id != right.id
  }

  private func walk(_ states: Set<RunState>, ofPipeline: Bool = false, in db: Database) throws -> [RunRecord] {
    var runs: [RunRecord] = []
    let limit = filter.limit ?? .max
    guard limit > 0 else { return [] }
    try db.fetch(for: StoredRun.self).walk(condition(states, ofPipeline: ofPipeline), orderBy: order) { stored in
      guard let run = RunRows.Numbered(stored, in: db) else { return true }
      // The states are checked again as readers see them.
      if !filter.states.isEmpty {
        let state = run.isAbandoned ? .interrupted : run.record.state
        guard filter.states.contains(state) else { return true }
      }
      let record = try RunRows.presented(run, in: db)
      if evaluates, let condition = filter.condition, !condition.matches(record) { return true }
      runs.append(record)
      return runs.count < limit
    }
    return runs
  }

  /// The order of a scan, which is that of an index for each state and pipeline.
  var order: [Ordering<StoredRun>] {
    filter.order == .newestFirst
      ? [StoredRun.createdAt.descending, StoredRun.number.descending]
      : [StoredRun.createdAt.ascending, StoredRun.number.ascending]
  }

  /// Returns the condition that the database evaluates in one scan: of the pipeline's runs in the given states, of the runs in one state, or of all.
  func condition(_ states: Set<RunState> = [], ofPipeline: Bool = false) -> Condition<StoredRun>? {
    var conditions: [Condition<StoredRun>] = []
    if ofPipeline {
      // The plus prevents the planner from using the index of states.
      let names = states.map(\.rawValue).sorted()
      let places = names.map { _ in "?" }.joined(separator: ", ")
      conditions.append(.sql("+run_record.state IN (\(places))", names.map { .text($0) }))
    } else if let state = states.first {
      conditions.append(StoredRun.state == state.rawValue)
    }
    if let pipeline = filter.pipeline {
      // As above, for the index range of names with a pattern's prefix, which would have to be sorted.
      conditions.append(
        exactPipeline == nil ? .sql("+run_record.pipeline GLOB ?", [.text(pipeline)]) : StoredRun.pipeline == pipeline)
    }
    if let since = filter.since { conditions.append(StoredRun.createdAt >= since.microseconds) }
    if let until = filter.until { conditions.append(StoredRun.createdAt < until.microseconds) }
    if !filter.includesNested {
      let isParentless = Condition<StoredRun>.sql(
        "NOT EXISTS (SELECT 1 FROM run_record p WHERE p.id = run_record.parent)")
      conditions.append(StoredRun.parent.isNil())
      if filter.includesParentless { conditions.append(conditions.removeLast() || isParentless) }
    }
    if let operation = filter.operation {
      let text = """
        EXISTS (SELECT 1 FROM operation_record o
          WHERE o.key BETWEEN run_record.number << 32 AND run_record.number << 32 | 4294967295
            AND (o.name = ? COLLATE NOCASE OR substr(o.name, 1, ?) = ? COLLATE NOCASE))
        """
      conditions.append(
        .sql(text, [.text(operation), .int(Int64(operation.unicodeScalars.count) + 1), .text(operation + "[")]))
    }
    conditions += filter.labels.map { .sql($0.sql.text, $0.sql.arguments.map { .text($0) }) }
    if let text = filter.condition.flatMap({ RunConditionSQL($0).text }) { conditions.append(.sql(text)) }
    return conditions.reduce(nil) { all, next in all.map { $0 && next } ?? next }
  }
}
