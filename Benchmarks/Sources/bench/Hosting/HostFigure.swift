/// A figure of hosts: what was measured, and what it is compared with.
struct HostFigure: Sendable {
  /// What `--only` knows it by.
  let name: String
  /// What is measured, in a few words.
  let title: String
  let unit: Row.Unit
  /// What the median of the results may be at most, or, where the unit is `perSecond`, has to be at least; nil for information.
  var target: Double?
  /// What was measured: seconds, or what the unit counts.
  var values: [Double]
  /// The same of the floor; where the result is computed from both, those at the same index are of the same round.
  var floors: [Double] = []
  /// What is compared with the target. By default it is computed from ``values`` and ``floors``, as the unit says.
  var results: [Double]?
  /// How many events each of ``values`` is for.
  var events = 1
  /// The most memory that the host had resident, in bytes.
  var peakBytes: Int
  /// Whether the floor does the same in each round, so that its width tells how quiet the machine is.
  var isFloorSteady = false

  /// The line of the table; nil if nothing was measured.
  var row: Row? {
    let results = results ?? computed
    guard let value = Spread(values), let result = Spread(results) else { return nil }
    let isMet = target.map { unit == .perSecond ? result.median >= $0 : result.median <= $0 }
    return Row(
      workload: name, title: title, contender: "host", floor: Spread(floors), time: value, result: result, unit: unit,
      target: target, peakBytes: peakBytes, memoryLimit: nil, verdict: isMet.map { $0 ? .ok : .missed })
  }

  private var computed: [Double] {
    switch unit {
    case .ratio: zip(values, floors).map { $0 / $1 }
    case .added, .addedCount, .addedMemory: zip(values, floors).map { $0 - $1 }
    case .perSecond: values.map { Double(events) / $0 }
    case .seconds, .bytes, .memory, .count, .processor: values
    }
  }
}

extension HostFigure {
  /// The median and the 99th percentile of how long something took, in seconds, as two figures.
  static func latencies(
    _ name: String, _ title: String, _ samples: [Double], floors: [Double], median: Double?, p99: Double?,
    peakBytes: Int
  ) -> [HostFigure] {
    func figure(_ word: String, _ part: Double, _ target: Double?) -> HostFigure {
      HostFigure(
        name: name, title: "\(title): \(word)", unit: .seconds, target: target, values: samples, floors: floors,
        results: Spread.quantile(part, of: samples).map { [$0] }, peakBytes: peakBytes)
    }
    return [figure("median", 0.5, median), figure("99th percentile", 0.99, p99)]
  }
}
