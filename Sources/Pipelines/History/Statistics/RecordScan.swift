import GRDB

/// Tallies the records of a span of time one by one.
final class RecordScan {
  /// The tallies of a pipeline: by operation (empty for the runs as a whole), one for each slice of the time.
  typealias Series = [String: [DurationTally]]

  private struct Run {
    var number: Int64
    var pipeline: Int
    var slice: Int
  }

  /// When the runs were created, in microseconds since 1970.
  let span: Range<Int64>
  let pipelines: [String]
  /// The pipelines with a run that goes on, as far as the records say.
  private(set) var unfinished: Set<String> = []

  init(span: Range<Int64>, pipelines: [String]) {
    self.span = span
    self.pipelines = pipelines
  }

  /// The tallies by pipeline. `slice` gives the number of the slice that an instant belongs to.
  func run(in db: Database, slice: (Int64) -> Int) throws -> [String: Series] {
    var found = [Series](repeating: [:], count: pipelines.count)
    let runs = try scanRuns(in: db, slice: slice, into: &found)
    try scanOperations(of: runs, in: db, into: &found)
    var series: [String: Series] = [:]
    for (index, pipeline) in pipelines.enumerated() where !found[index].isEmpty { series[pipeline] = found[index] }
    return series
  }

  private func scanRuns(in db: Database, slice: (Int64) -> Int, into found: inout [Series]) throws -> [Run] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT number, created_at, state, started_at, ended_at FROM run_record
        WHERE pipeline = ? AND created_at >= ? AND created_at < ?
        """)
    var runs: [Run] = []
    for (index, pipeline) in pipelines.enumerated() {
      var slices: [DurationTally] = []
      let rows = try Row.fetchCursor(statement, arguments: [pipeline, span.lowerBound, span.upperBound])
      while let row = try rows.next() {
        let place = slice(row[1])
        runs.append(Run(number: row[0], pipeline: index, slice: place))
        while slices.count <= place { slices.append(DurationTally()) }
        let state: String = row[2]
        if let ended = row[4] as Int64? {
          slices[place].add(state: state, started: row[3], ended: ended)
        } else if state == "running" || state == "queued" {
          unfinished.insert(pipeline)
        }
      }
      if !slices.isEmpty { found[index][""] = slices }
    }
    return runs
  }

  private func scanOperations(of runs: [Run], in db: Database, into found: inout [Series]) throws {
    guard let first = runs.lazy.map(\.number).min(), let last = runs.lazy.map(\.number).max() else { return }
    let columns = "SELECT key, name, state, started_at, ended_at, attempts FROM operation_record"
    let statement = try db.cachedStatement(
      sql: columns + " WHERE key BETWEEN ? AND ? AND ended_at IS NOT NULL ORDER BY key")
    // Runs of one time have numbers side by side: one walk over all is cheaper than to look each one up.
    if last - first < 4 * Int64(runs.count) {
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
    // Items apart from the loop: what each took says nothing about how long all of them did.
    if name.utf8.last == UInt8(ascii: "]") { name = name.prefix { $0 != "[" } + "[*]" }
    // Looked up once, and changed in place.
    var slices = series.updateValue([], forKey: name) ?? []
    while slices.count <= run.slice { slices.append(DurationTally()) }
    slices[run.slice].add(state: row[2], started: row[3], ended: row[4], attempts: row[5])
    series[name] = slices
  }
}
