import Expressions
import SQLite
import Workspace

/// How often something ran in a period, how it ended, and how long it took.
public struct DurationStatistics: Sendable, Hashable {
  /// A part of the period.
  public struct Slice: Sendable, Hashable {
    /// When it begins.
    public var from: RecordTime
    /// How many runs created in it have ended, or operations of those runs.
    public var count: Int
    /// How many of them succeeded.
    public var succeeded: Int
    /// How many of them failed.
    public var failed: Int
    /// The median duration of those that succeeded, in milliseconds; nil if none has.
    public var p50Milliseconds: Double?
  }

  /// The pipeline.
  public var pipeline: String
  /// The operation, or `name[*]` for the items of a loop; nil for the runs as a whole.
  public var operation: String?
  /// How many have ended.
  public var count: Int
  /// How many of them succeeded.
  public var succeeded: Int
  /// How many of them failed.
  public var failed: Int
  /// How many of them needed more than one attempt; zero for runs.
  public var retried: Int
  /// The mean duration of those that succeeded, in milliseconds; nil if none has.
  public var averageMilliseconds: Double?
  /// The median duration of those that succeeded, in milliseconds.
  public var p50Milliseconds: Double?
  /// The 95th percentile of the durations of those that succeeded, in milliseconds.
  public var p95Milliseconds: Double?
  /// The longest duration of those that succeeded, in milliseconds.
  public var maximumMilliseconds: Double?
  /// The period in parts of equal length, the earliest first.
  public var trend: [Slice]

  init(pipeline: String, operation: String?, slices: [DurationTally], of span: StatisticsSpan) {
    let tally = slices.reduce(into: DurationTally()) { $0.add($1) }
    self.pipeline = pipeline
    self.operation = operation
    count = Int(tally.count)
    succeeded = Int(tally.succeeded)
    failed = Int(tally.failed)
    retried = Int(tally.retried)
    func milliseconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1000 }
    if let quantiles = tally.quantiles([0.5, 0.95]) {
      let occurrences = tally.samples.reduce(Int64(0)) { $0.addingSaturating($1.count) }
      averageMilliseconds = Double(tally.total) / Double(occurrences) / 1000
      p50Milliseconds = milliseconds(quantiles[0])
      p95Milliseconds = milliseconds(quantiles[1])
      maximumMilliseconds = milliseconds(tally.longest)
    }
    trend = (0..<span.slices).map { index in
      let tally = index < slices.count ? slices[index] : DurationTally()
      return Slice(
        from: span.start(of: index), count: Int(tally.count), succeeded: Int(tally.succeeded),
        failed: Int(tally.failed),
        p50Milliseconds: tally.quantiles([0.5]).map { milliseconds($0[0]) })
    }
  }
}

/// The period of statistics, and how it is divided into slices.
struct StatisticsSpan {
  private static let hour = HistoryTallies.day / 24

  let range: Range<Int64>
  /// The beginning of the first slice: a full hour or a day, at or before the range.
  let origin: Int64
  /// The length of a slice.
  let length: Int64
  let slices: Int

  /// Whether slices are whole days, so that daily tallies can be used.
  var isByDay: Bool { length % HistoryTallies.day == 0 }

  init(_ range: Range<Int64>, mostSlices: Int) {
    self.range = range
    let unit = Self.unit(of: range.upperBound - range.lowerBound)
    origin = range.lowerBound / unit * unit
    let units = max(1, (range.upperBound - origin + unit - 1) / unit)
    let step = (units + Int64(mostSlices) - 1) / Int64(mostSlices)
    length = step * unit
    slices = Int((units + step - 1) / step)
  }

  /// Returns the unit of slices. For up to three days, whose tallies are quickly recomputed, hours show more.
  private static func unit(of length: Int64) -> Int64 { length <= 3 * HistoryTallies.day ? hour : HistoryTallies.day }

  /// Returns the beginning of a period that includes everything since `earliest`: the beginning of a slice, so that its tallies can be used.
  static func start(before earliest: Int64, until end: Int64) -> Int64 {
    let unit = unit(of: end - earliest)
    return earliest / unit * unit
  }

  func slice(of instant: Int64) -> Int { Int((instant - origin) / length) }
  func start(of slice: Int) -> RecordTime { RecordTime(microseconds: origin + Int64(slice) * length) }
}

extension History {
  /// Returns statistics of runs and of their operations, by pipeline and operation.
  ///
  /// Percentiles are exact as long as there are few different durations; over days that were counted before (see ``tallyPastDays(now:)``) their error
  /// is at most 0.8 %. Everything else is exact.
  ///
  /// - Parameters:
  ///   - pipeline: A name or a pattern; nil for all.
  ///   - operation: A name; for a loop, this includes the loop and its items. Nil for all, and the runs as a whole.
  ///   - since: Only runs created at or after the instant.
  ///   - until: Only runs created before the instant.
  ///   - labels: Only runs that have all of these, which are counted individually.
  ///   - slices: The maximum number of parts in the trend; at least 1.
  ///   - now: The end of the period without `until`.
  /// - Returns: For each pipeline its runs as a whole (`operation` is nil), then its operations, ordered by name.
  /// - Throws: `WorkspaceError` if the workspace cannot be read.
  public func statistics(
    pipeline: String? = nil, operation: String? = nil, since: RecordTime? = nil, until: RecordTime? = nil,
    labels: [RunLabel] = [], slices: Int = 30, now: RecordTime = .now
  ) throws(WorkspaceError) -> [DurationStatistics] {
    try read { db in
      // Two queries, because an index answers each of them immediately, but not both together.
      guard let earliest = try Int64.fetchOne(db, sql: "SELECT min(created_at) FROM run_record"),
        let latest = try Int64.fetchOne(db, sql: "SELECT max(created_at) FROM run_record")
      else { return [] }
      let (first, last) = (
        RecordTime(microseconds: earliest).microseconds, RecordTime(microseconds: latest).microseconds
      )
      // If the clock was set back, there may be runs in the future.
      let end = until?.microseconds ?? max(now.microseconds, last + 1)
      let start = max(0, since?.microseconds ?? StatisticsSpan.start(before: first, until: end))
      guard start < end else { return [] }
      let span = StatisticsSpan(start..<end, mostSlices: max(1, slices))
      let series = try StatisticsQuery(span: span, pipeline: pipeline, labels: labels).run(in: db)
      return series.sorted { $0.key < $1.key }.flatMap { name, found in
        found.sorted { $0.key < $1.key }.filter { entry in
          operation.map { name in
            [name, name + "[*]"].contains { OperationName.areSame(entry.key, $0) }
          } ?? true
        }.map { entry in
          DurationStatistics(
            pipeline: name, operation: entry.key.isEmpty ? nil : entry.key, slices: entry.value, of: span)
        }
      }
    }
  }
}

/// Computes statistics: from the tallies of days that are entirely within the period, and from the records themselves at its edges and for days that
/// have not been counted.
struct StatisticsQuery {
  let span: StatisticsSpan
  let pipeline: String?
  var labels: [RunLabel] = []

  func run(in db: Database) throws -> [String: RecordScan.Series] {
    let range = span.range
    let condition = pipeline.map { name in
      name.contains { "*?[".contains($0) } ? " AND pipeline GLOB ?" : " AND pipeline = ?"
    }
    let rows = try Row.fetchCursor(
      db,
      sql: "SELECT day, pipeline, tally FROM daily_tally WHERE day BETWEEN ? AND ?\(condition ?? "") ORDER BY day",
      arguments: StatementArguments(
        [range.lowerBound / HistoryTallies.day, (range.upperBound - 1) / HistoryTallies.day]
          + (pipeline.map { [$0] } ?? [] as [any DatabaseValueConvertible])))
    var found: [String: RecordScan.Series] = [:]
    var open: [Int64: [String]] = [:]
    while let row = try rows.next() {
      let day: Int64 = row[0]
      let name: String = row[1]
      if !take(row, of: name, day: day, into: &found) { open[day, default: []].append(name) }
    }
    for (day, pipelines) in open.sorted(by: { $0.key < $1.key }) {
      let part = (day * HistoryTallies.day..<(day + 1) * HistoryTallies.day).clamped(to: range)
      let scan = RecordScan(span: part, pipelines: pipelines, labels: labels)
      for (name, series) in try scan.run(in: db, slice: span.slice) {
        for (operation, slices) in series {
          for (index, tally) in slices.enumerated() where tally.count > 0 {
            add(tally, to: index, of: operation, in: &found[name, default: [:]])
          }
          // The pipeline is listed even if nothing has ended.
          if operation.isEmpty, found[name]?[operation] == nil { found[name, default: [:]][operation] = [] }
        }
      }
    }
    return found
  }

  /// Adds the tally of a day if it exists and the whole day is within the period.
  private func take(_ row: Row, of name: String, day: Int64, into found: inout [String: RecordScan.Series]) -> Bool {
    let start = day * HistoryTallies.day
    guard labels.isEmpty, span.isByDay, start >= span.range.lowerBound,
      start + HistoryTallies.day <= span.range.upperBound
    else {
      return false
    }
    let slice = span.slice(of: start)
    var parts: [(String, DurationTally)] = []
    let isWhole = row.withUnsafeData(at: 2) { bytes in
      bytes.map { TallyCoding.decode($0) { parts.append(($0, $1)) } } ?? false
    }
    guard isWhole else { return false }
    for (operation, tally) in parts { add(tally, to: slice, of: operation, in: &found[name, default: [:]]) }
    return true
  }

  private func add(_ tally: DurationTally, to slice: Int, of operation: String, in series: inout RecordScan.Series) {
    var slices = series.updateValue([], forKey: operation) ?? []
    while slices.count <= slice { slices.append(DurationTally()) }
    slices[slice].add(tally)
    series[operation] = slices
  }
}
