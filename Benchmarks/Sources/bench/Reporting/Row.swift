/// One line of the table, and of the JSON report.
struct Row: Sendable, Encodable {
  /// What a result counts.
  enum Unit: String, Sendable, Encodable {
    /// Subject divided by floor.
    case ratio
    /// Seconds.
    case seconds
    /// Seconds more than the floor.
    case added
    /// Operations a second.
    case perSecond
    /// Bytes.
    case bytes
    /// Events more than the floor has.
    case addedCount
    /// Bytes of memory or of files, of which people read megabytes.
    case memory
    /// The same, more than the floor.
    case addedMemory
    /// Things, or events a second.
    case count
    /// A part of one processor.
    case processor
  }

  /// Whether a target was met.
  enum Verdict: String, Sendable, Encodable {
    case ok
    case missed = "MISSED"
  }

  let workload: String
  let title: String
  /// `penstock`, or the peer that this line is about.
  let contender: String
  /// Seconds of the floor, or what `unit` counts; nil for work that has none.
  let floor: Spread?
  /// Seconds of the contender, or what `unit` counts.
  let time: Spread
  /// The result of each round in `unit`, from measurements of the same round.
  let result: Spread
  let unit: Unit
  /// What the median of the result is compared with; nil where there is no target.
  let target: Double?
  /// The most memory of any round, in bytes.
  let peakBytes: Int
  let memoryLimit: Int?
  /// Nil where there is no target.
  let verdict: Verdict?
}

extension Row {
  /// The lines of a workload: the subject's, that of its inner time, and the peers'.
  static func rows(of result: WorkloadResult) -> [Row] {
    let workload = result.workload
    var rows = [
      row(of: result, title: workload.title, series: result.subject, seconds: result.subject.seconds, isJudged: true)
    ]
    if let inner = workload.innerTime {
      rows.append(
        row(of: result, title: inner.title, series: result.subject, seconds: result.innerSeconds, isJudged: true))
    }
    rows += result.peers.map { row(of: result, title: "", series: $0, seconds: $0.seconds, isJudged: false) }
    return rows.compactMap(\.self)
  }

  /// The lines of a probe: one for each figure.
  static func rows(of result: ProbeResult) -> [Row] {
    let peak = Int(result.values("peakBytes").max() ?? 0)
    return result.probe.figures.compactMap { figure in
      let values = result.values(figure.subject)
      let floors = figure.floor.map { result.values($0) }
      let (unit, target, results): (Unit, Double, [Double]) =
        switch figure.goal {
        case .added(let seconds): (.added, seconds, zip(values, floors ?? []).map { $0 - $1 })
        case .ratio(let ratio): (.ratio, ratio, zip(values, floors ?? []).map { $0 / $1 })
        case .time(let seconds): (.seconds, seconds, values)
        case .addedCount(let count): (.addedCount, count, zip(values, floors ?? []).map { $0 - $1 })
        case .bytes(let bytes): (.bytes, bytes, values)
        case .size(let megabytes): (.memory, megabytes * 1e6, values)
        case .throughput(let events, let perSecond): (.perSecond, perSecond, values.map { Double(events) / $0 })
        }
      guard let time = Spread(values), let spread = Spread(results) else { return nil }
      let isMet = unit == .perSecond ? spread.median >= target : spread.median <= target
      return Row(
        workload: result.probe.name, title: figure.title, contender: result.probe.program,
        floor: floors.flatMap { Spread($0) },
        time: time, result: spread, unit: unit, target: target, peakBytes: peak, memoryLimit: nil,
        verdict: isMet ? .ok : .missed)
    }
  }

  private static func row(
    of result: WorkloadResult, title: String, series: Series, seconds: [Double], isJudged: Bool
  ) -> Row? {
    let workload = result.workload
    let floors = result.floor?.seconds
    let (unit, values): (Unit, [Double]) =
      switch workload.goal {
      case .ratio, .informativeRatio: (.ratio, zip(seconds, floors ?? []).map { $0 / $1 })
      case .added: (.added, zip(seconds, floors ?? []).map { $0 - $1 })
      case .time, .informativeTime: (.seconds, seconds)
      case .throughput(let operations, _): (.perSecond, seconds.map { Double(operations) / $0 })
      }
    guard let time = Spread(seconds), let spread = Spread(values) else { return nil }
    let target = isJudged ? workload.goal.target : nil
    let memoryLimit = isJudged ? workload.memoryLimit : nil
    var isMet = target.map { unit == .perSecond ? spread.median >= $0 : spread.median <= $0 } ?? true
    if let memoryLimit, series.peakBytes > memoryLimit { isMet = false }
    return Row(
      workload: workload.name, title: title, contender: series.name, floor: floors.flatMap { Spread($0) }, time: time,
      result: spread, unit: unit, target: target, peakBytes: series.peakBytes, memoryLimit: memoryLimit,
      verdict: target == nil && memoryLimit == nil ? nil : isMet ? .ok : .missed)
  }
}

extension Goal {
  /// The limit, in the unit of the result; nil where nothing is asked.
  fileprivate var target: Double? {
    switch self {
    case .ratio(let ratio): ratio
    case .added(let milliseconds), .time(let milliseconds): milliseconds / 1000
    case .throughput(_, let perSecond): perSecond
    case .informativeRatio, .informativeTime: nil
    }
  }
}
