import GRDB
import Workspace

/// How often something ran in a span of time, how it ended, and how long it took.
public struct DurationStatistics: Sendable, Hashable {
  /// The pipeline.
  public var pipeline: String
  /// The operation, without the index of a loop's item; nil for the runs as a whole.
  public var operation: String?
  /// How many have ended.
  public var count: Int
  /// How many of them succeeded.
  public var succeeded: Int
  /// How many of them failed.
  public var failed: Int
  /// The mean duration of those that succeeded, in milliseconds; nil if none has.
  public var averageMilliseconds: Double?
  /// Half of those that succeeded took at most this long, in milliseconds.
  public var p50Milliseconds: Double?
  /// 95 % of those that succeeded took at most this long, in milliseconds.
  public var p95Milliseconds: Double?
  /// The longest duration of those that succeeded, in milliseconds.
  public var maximumMilliseconds: Double?

  init(pipeline: String, operation: String?, tally: DurationTally) {
    self.pipeline = pipeline
    self.operation = operation
    count = tally.count
    succeeded = tally.succeeded
    failed = tally.failed
    guard !tally.durations.isEmpty else { return }
    let sorted = tally.durations.sorted()
    /// The nearest rank: the smallest value that the share of all values does not exceed.
    func quantile(_ share: Double) -> Double {
      Double(sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]) / 1000
    }
    averageMilliseconds = Double(sorted.reduce(0, +)) / Double(sorted.count) / 1000
    p50Milliseconds = quantile(0.5)
    p95Milliseconds = quantile(0.95)
    maximumMilliseconds = quantile(1)
  }
}

/// What is gathered while the records are read.
struct DurationTally {
  var count = 0
  var succeeded = 0
  var failed = 0
  /// In microseconds.
  var durations: [Int64] = []

  mutating func add(state: String, started: Int64?, ended: Int64?) {
    count += 1
    if state == "failed" { failed += 1 }
    guard state == "succeeded" else { return }
    succeeded += 1
    if let started, let ended { durations.append(ended - started) }
  }
}

extension History {
  /// Statistics of runs and of their operations, by pipeline and operation.
  ///
  /// - Parameters:
  ///   - pipeline: A name or a pattern; nil for all.
  ///   - since: Only runs created at or after the instant.
  ///   - until: Only runs created before the instant.
  /// - Returns: For each pipeline its runs as a whole (`operation` is nil), then its operations, in order of names.
  /// - Throws: ``WorkspaceError`` if the workspace cannot be read.
  public func statistics(
    pipeline: String? = nil, since: RecordTime? = nil, until: RecordTime? = nil
  ) throws(WorkspaceError) -> [DurationStatistics] {
    let filter = RunFilter(pipeline: pipeline, since: since, until: until, includesNested: true, order: .oldestFirst)
    return try read { db in
      var runs: [String: DurationTally] = [:]
      var operations: [String: [String: DurationTally]] = [:]
      let (sql, arguments) = RunListing(filter: filter).query(state: nil)
      let rows = try Row.fetchCursor(
        db, sql: "SELECT number, pipeline, state, started_at, ended_at FROM (\(sql))", arguments: arguments)
      let entries = try db.cachedStatement(
        sql: "SELECT name, state, started_at, ended_at FROM operation_record WHERE key BETWEEN ? AND ?")
      while let row = try rows.next() {
        let name: String = row[1]
        if let ended = row[4] as Int64? {
          runs[name, default: DurationTally()].add(state: row[2], started: row[3], ended: ended)
        }
        let range = InstanceKey.range(of: row[0])
        let records = try Row.fetchCursor(entries, arguments: [range.first, range.last])
        while let record = try records.next() {
          guard let ended = record[3] as Int64? else { continue }
          let operation = String((record[0] as String).prefix { $0 != "[" })
          operations[name, default: [:]][operation, default: DurationTally()]
            .add(state: record[1], started: record[2], ended: ended)
        }
      }
      return Set(runs.keys).union(operations.keys).sorted().flatMap { pipeline in
        [DurationStatistics(pipeline: pipeline, operation: nil, tally: runs[pipeline] ?? DurationTally())]
          + (operations[pipeline] ?? [:]).sorted { $0.key < $1.key }.map {
            DurationStatistics(pipeline: pipeline, operation: $0.key, tally: $0.value)
          }
      }
    }
  }
}
