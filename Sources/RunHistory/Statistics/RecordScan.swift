import SQLite

/// Tallies the records of a period individually.
final class RecordScan {
  /// The tallies of a pipeline: by operation (empty for the runs as a whole), one for each slice.
  typealias Series = [String: [DurationTally]]

  private struct Run {
    var number: Int64
    var pipeline: Int
    var slice: Int
  }

  /// The period in which the runs were created, in microseconds since 1970.
  let span: Range<Int64>
  let pipelines: [String]
  /// The labels that runs must have.
  let labels: [RunLabel]
  /// The pipelines with an unfinished run, according to the records.
  private(set) var unfinished: Set<String> = []

  init(span: Range<Int64>, pipelines: [String], labels: [RunLabel] = []) {
    self.span = span
    self.labels = labels
    self.pipelines = pipelines
  }

  /// Returns the tallies by pipeline. `slice` returns the number of the slice that an instant belongs to.
  func run(in db: Database, slice: (Int64) -> Int) throws -> [String: Series] {
    var found = [Series](repeating: [:], count: pipelines.count)
    let runs = try scanRuns(in: db, slice: slice, into: &found)
    try scanOperations(of: runs, in: db, into: &found)
    var series: [String: Series] = [:]
    for (index, pipeline) in pipelines.enumerated() where !found[index].isEmpty { series[pipeline] = found[index] }
    return series
  }

  private func scanRuns(in db: Database, slice: (Int64) -> Int, into found: inout [Series]) throws -> [Run] {
    let columns = "SELECT number, created_at, state, started_at, ended_at, pipeline FROM run_record"
    let more = labels.map { " AND " + $0.sql.text }.joined()
    let wanted: [any DatabaseValueConvertible] = labels.flatMap(\.sql.arguments)
    var runs: [Run] = []
    if let numbers = try denseNumbers(in: db) {
      var indices: [String: Int] = [:]
      for (index, pipeline) in pipelines.enumerated() { indices[pipeline] = index }
      let rows = try Row.fetchCursor(
        db, sql: columns + " WHERE number BETWEEN ? AND ?" + more,
        arguments: StatementArguments([numbers.lowerBound, numbers.upperBound] + wanted))
      while let row = try rows.next() {
        guard span.contains(row[1]), let index = indices[row[5]] else { continue }
        runs.append(add(row, of: index, slice: slice, to: &found))
      }
    } else {
      let statement = try db.cachedStatement(
        sql: columns + " WHERE pipeline = ? AND created_at >= ? AND created_at < ?" + more)
      for (index, pipeline) in pipelines.enumerated() {
        let rows = try Row.fetchCursor(
          statement, arguments: StatementArguments([pipeline, span.lowerBound, span.upperBound] + wanted))
        while let row = try rows.next() { runs.append(add(row, of: index, slice: slice, to: &found)) }
      }
    }
    return runs
  }

  /// Returns the range of the runs' numbers, if scanning all of it is cheaper than looking up the runs of each pipeline.
  private func denseNumbers(in db: Database) throws -> ClosedRange<Int64>? {
    guard pipelines.count > 1 else { return nil }
    let row = try Row.fetchOne(
      db, sql: "SELECT min(number), max(number), count(*) FROM run_record WHERE created_at >= ? AND created_at < ?",
      arguments: [span.lowerBound, span.upperBound])
    guard let row, let first = row[0] as Int64?, let last = row[1] as Int64? else { return nil }
    return InstanceKey.areDense(first, last, count: row[2]) ? first...last : nil
  }

  private func add(_ row: Row, of pipeline: Int, slice: (Int64) -> Int, to found: inout [Series]) -> Run {
    let place = slice(row[1])
    let state: String = row[2]
    let ended: Int64? = row[4]
    if ended == nil, state == "running" || state == "queued" { unfinished.insert(pipelines[pipeline]) }
    // The pipeline is listed even if nothing has ended.
    Self.change(place, of: "", in: &found[pipeline]) { tally in
      if let ended { tally.add(state: state, started: row[3], ended: ended) }
    }
    return Run(number: row[0], pipeline: pipeline, slice: place)
  }

  private func scanOperations(of runs: [Run], in db: Database, into found: inout [Series]) throws {
    guard let first = runs.lazy.map(\.number).min(), let last = runs.lazy.map(\.number).max() else { return }
    // Attempts that ended with their host do not count as retries.
    let columns = """
      SELECT key, name, state, started_at, ended_at, CASE WHEN attempts > 1 THEN attempts - (
        SELECT count(*) FROM attempt_record a WHERE a.operation = key
          AND a.error_code IN ('\(RecordedError.hostDied.code)', '\(RecordedError.hostDrained.code)')
        ) ELSE attempts END FROM operation_record
      """
    let statement = try db.cachedStatement(
      sql: columns + " WHERE key BETWEEN ? AND ? AND ended_at IS NOT NULL ORDER BY key")
    // Runs of one period have adjacent numbers: one scan over all is cheaper than looking each one up.
    if InstanceKey.areDense(first, last, count: Int64(runs.count)) {
      var byNumber = [Int32](repeating: -1, count: Int(last - first) + 1)
      for (index, run) in runs.enumerated() { byNumber[Int(run.number - first)] = Int32(index) }
      let rows = try Row.fetchCursor(
        statement, arguments: [InstanceKey.range(of: first).first, InstanceKey.range(of: last).last])
      while let row = try rows.next() {
        let index = Int(byNumber[Int((row[0] as Int64) >> 32 - first)])
        if index >= 0 { Self.add(row, of: runs[index], to: &found[runs[index].pipeline]) }
      }
    } else {
      for run in runs {
        let range = InstanceKey.range(of: run.number)
        let rows = try Row.fetchCursor(statement, arguments: [range.first, range.last])
        while let row = try rows.next() { Self.add(row, of: run, to: &found[run.pipeline]) }
      }
    }
  }

  private static func add(_ row: Row, of run: Run, to series: inout Series) {
    var name: String = row[1]
    // Items are separate from the loop: their durations say nothing about that of the loop.
    if name.utf8.last == UInt8(ascii: "]") { name = name.prefix { $0 != "[" } + "[*]" }
    change(run.slice, of: name, in: &series) { tally in
      tally.add(state: row[2], started: row[3], ended: row[4], attempts: row[5])
    }
  }

  private static func change(
    _ slice: Int, of name: String, in series: inout Series, _ change: (inout DurationTally) -> Void
  ) {
    // Looked up once, and changed in place.
    var slices = series.updateValue([], forKey: name) ?? []
    while slices.count <= slice { slices.append(DurationTally()) }
    change(&slices[slice])
    series[name] = slices
  }
}
