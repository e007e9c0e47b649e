import Expressions
import SQLite

/// Answers a ``RunFilter`` with one ordered walk over an index for each state asked for, which stops when there are enough.
struct RunListing {
  let filter: RunFilter
  /// Whether what the database leaves is asked for the condition.
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

  /// The runs of which the condition is still to be evaluated, after what the database leaves out.
  func candidates(in db: Database) throws -> [RunRecord] {
    var listing = self
    listing.evaluates = false
    return try listing.runs(in: db)
  }

  /// The filter with what its condition says of pipeline, states and time, where an index can use it; nil if no run can match.
  private func narrowed(in db: Database) throws -> RunFilter? {
    guard let condition = filter.condition else { return filter }
    var filter = filter
    let sql = RunConditionSQL(condition)
    if let states = sql.states {
      filter.states = filter.states.isEmpty ? states : filter.states.intersection(states)
      if filter.states.isEmpty { return nil }
      // One walk over everything is shorter than a walk for each of nearly all states.
      if self.filter.states.isEmpty, filter.states.count > 4 { filter.states = [] }
    }
    if let since = sql.since { filter.since = max(since, filter.since ?? since) }
    if let until = sql.until { filter.until = min(until, filter.until ?? until) }
    if filter.pipeline == nil, let wanted = sql.pipelines {
      // In any letter case, which the index does not know.
      let names = try PipelineNames.all(in: db).filter { name in
        wanted.contains { OrdinalIgnoreCase.equal($0, name) }
      }
      if names.isEmpty { return nil }
      if names.count == 1, !names[0].contains(where: { "*?[".contains($0) }) { filter.pipeline = names[0] }
    }
    return filter
  }

  private func states(in db: Database) throws -> [RunRecord] {
    guard !filter.states.isEmpty else { return try walk(state: nil, in: db) }
    // A run that was interrupted may be recorded as going on still, when nobody could write since.
    var recorded = filter.states
    if recorded.contains(.interrupted) { recorded.formUnion([.running, .queued]) }
    // Each state's walk is in order and no longer than the limit, so the answer is among them.
    let all = try recorded.flatMap { try walk(state: $0, in: db) }.sorted { before($0, $1) }
    return filter.limit.map { Array(all.prefix($0)) } ?? all
  }

  private func before(_ left: RunRecord, _ right: RunRecord) -> Bool {
    let isEarlier = (left.createdAt, left.id) < (right.createdAt, right.id)
    return filter.order == .oldestFirst ? isEarlier : !isEarlier && left.id != right.id
  }

  private func walk(state: RunState?, in db: Database) throws -> [RunRecord] {
    let (sql, arguments) = query(state: state)
    let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
    var runs: [RunRecord] = []
    let limit = filter.limit ?? .max
    while runs.count < limit, let row = try rows.next() {
      guard let run = RunRows.record(row, in: db) else { continue }
      // The states are looked at again as readers see them.
      if !filter.states.isEmpty {
        let state = run.isAbandoned ? .interrupted : run.record.state
        guard filter.states.contains(state) else { continue }
      }
      let record = try RunRows.presented(run, in: db)
      if evaluates, let condition = filter.condition, !condition.matches(record) { continue }
      runs.append(record)
    }
    return runs
  }

  /// The statement of one walk. Tests look at its plan.
  func query(state: RunState?) -> (sql: String, arguments: StatementArguments) {
    var conditions: [String] = []
    var arguments: [(any DatabaseValueConvertible)?] = []
    func require(_ condition: String, _ values: any DatabaseValueConvertible...) {
      conditions.append(condition)
      arguments += values
    }
    if let state { require("r.state = ?", state.rawValue) }
    if let pipeline = filter.pipeline {
      // The plus keeps the planner from the range of names that the pattern begins with, which it would have to sort.
      require(pipeline.contains { "*?[".contains($0) } ? "+r.pipeline GLOB ?" : "r.pipeline = ?", pipeline)
    }
    if let since = filter.since { require("r.created_at >= ?", since.microseconds) }
    if let until = filter.until { require("r.created_at < ?", until.microseconds) }
    if !filter.includesNested {
      let isParentless = " OR NOT EXISTS (SELECT 1 FROM run_record p WHERE p.id = r.parent)"
      require("(r.parent IS NULL\(filter.includesParentless ? isParentless : ""))")
    }
    if let operation = filter.operation {
      require(
        """
        EXISTS (SELECT 1 FROM operation_record o WHERE o.key BETWEEN r.number << 32 AND r.number << 32 | 4294967295
          AND (o.name = ? COLLATE NOCASE OR substr(o.name, 1, ?) = ? COLLATE NOCASE))
        """, operation, operation.unicodeScalars.count + 1, operation + "[")
    }
    if let condition = filter.condition.flatMap({ RunConditionSQL($0).text }) { conditions.append(condition) }
    let order = filter.order == .newestFirst ? "DESC" : "ASC"
    let sql =
      "SELECT \(RunRows.columns) FROM run_record r"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
      + " ORDER BY r.created_at \(order), r.number \(order)"
    return (sql, StatementArguments(arguments))
  }
}
