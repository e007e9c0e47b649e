import OperationsTesting

/// A pipeline drawn from a seed, as the simulation and its checker know it.
struct SimulatedPipeline: Sendable {
  /// When it is due.
  enum Schedule: Sendable {
    /// At this second of these minutes of these hours on these days of the week, where 0 is Sunday, in a time zone.
    case cron(second: Int, minutes: Set<Int>, hours: Set<Int>, days: Set<Int>, zone: String)
    /// At all multiples of this many seconds since 1970.
    case interval(Int64)
    /// Whenever this other pipeline succeeds.
    case success(of: String)
  }

  /// What prevents a success of another pipeline from running it.
  enum Refusal: CaseIterable { case none, notStale, notAutomatic }

  enum CatchUp: Sendable, Hashable {
    case none, last
    case all(Int)
  }

  enum Overlap: String, Sendable, CaseIterable { case allow, queue, skip, cancel }

  var name: String
  var text: String
  var schedule: Schedule
  var refusal = Refusal.none
  var catchUp = CatchUp.none
  var overlap = Overlap.allow
  var queue = "default"
  var priority = 0
  /// In seconds.
  var startWithin: Int64?
  /// Whether it becomes due again and again while it runs.
  var isCrowded = false
  /// Whether one of its operations waits for an approval.
  var asks = false
  var processes: [String: SimulatedMachine.Kind] = [:]

  /// Ten zones, some with clock changes in autumn 2026: Berlin and London on 25 October, New York on 1 November.
  static let zones = [
    "UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Kathmandu",
    "Asia/Tokyo", "Australia/Sydney", "Pacific/Auckland",
  ]

  /// Returns this many random pipelines. With `isApart`, no two of them are due at the same instant, and none makes up for missed instants.
  static func draw(_ count: Int, isApart: Bool, _ random: inout SeededRandom) -> [SimulatedPipeline] {
    var names: [String] = []
    return (0..<count).map { number in
      let name = "p\(String(10_000 + number).dropFirst())"
      defer { names.append(name) }
      return draw(name, number: isApart ? number : nil, after: names, &random)
    }
  }

  private static func draw(
    _ name: String, number: Int?, after former: [String], _ random: inout SeededRandom
  ) -> SimulatedPipeline {
    var pipeline = SimulatedPipeline(name: name, text: "", schedule: .success(of: name))
    let beginning: [String]
    if number == nil, !former.isEmpty, random.oneIn(10) {
      beginning = pipeline.drawConditions(after: former, &random)
    } else {
      beginning = ["controllers: [\(pipeline.drawController(number: number, &random))]"]
    }
    if pipeline.isCrowded { pipeline.overlap = .skip } else { pipeline.overlap = random.element(of: Overlap.allCases) }
    pipeline.queue = random.oneIn(6) ? "heavy" : "default"
    pipeline.priority = random.element(of: [-5, 0, 0, 0, 5])
    if random.oneIn(5) { pipeline.startWithin = random.element(of: [60, 600, 3600]) }
    var lines = [
      "name: \(name)", "overlap: \(pipeline.overlap.rawValue)", "queue: \(pipeline.queue)",
      "priority: \(pipeline.priority)",
    ]
    lines += beginning
    if let seconds = pipeline.startWithin { lines.append("start_within: \(seconds)s") }
    if random.oneIn(10) { lines.append("on_restart: fail") }
    lines.append("operations:")
    lines += pipeline.drawOperations(isApart: number != nil, &random)
    pipeline.text = lines.joined(separator: "\n") + "\n"
    return pipeline
  }

  private mutating func drawConditions(after former: [String], _ random: inout SeededRandom) -> [String] {
    let source = random.element(of: former)
    schedule = .success(of: source)
    refusal = random.element(of: Refusal.allCases)
    let lines = ["rerun_on_change: succeeded(\(source))"]
    switch refusal {
    case .none: return lines
    case .notStale: return lines + ["stale_when: older-than(5h)"]
    case .notAutomatic: return lines + ["automatic: never"]
    }
  }

  private mutating func drawController(number: Int?, _ random: inout SeededRandom) -> String {
    if random.oneIn(10), number == nil {
      let seconds: Int64 = random.element(of: [3600, 10_800, 14_400, 21_600])
      schedule = .interval(seconds)
      return "{ uses: interval, with: { every: \(seconds)s } }"
    }
    let zone = random.element(of: Self.zones)
    // Most of them coincide.
    var minutes: Set = [random.oneIn(200) ? random.next(below: 60) : random.oneIn(12) ? 30 : 0]
    var second = 0
    // A second that no other pipeline uses in any hour of any zone: zones differ by quarters of an hour.
    if let number { (minutes, second) = ([number / 59 % 15], 1 + number % 59) }
    isCrowded = number == nil && random.oneIn(20)
    if isCrowded { minutes = [0, 10, 20, 30, 40, 50] }
    var (hours, days) = (Set(0..<24), Set(0..<7))
    var rest = "* * * *"
    switch isCrowded ? 0 : random.next(below: 20) {
    case 0: break
    case 1, 2:
      let hour = random.next(below: 24)
      hours = [hour]
      days = [1, 2, 3, 4, 5]
      rest = "\(hour) * * 1-5"
    case 3, 4:
      // Where clocks change.
      hours = [2]
      rest = "2 * * *"
    case 5..<7:
      hours = Set(stride(from: 0, to: 24, by: 3))
      rest = "*/3 * * *"
    default:
      hours = Set(stride(from: 0, to: 24, by: 12))
      rest = "*/12 * * *"
    }
    schedule = .cron(second: second, minutes: minutes, hours: hours, days: days, zone: zone)
    var settings = ""
    if number == nil {
      (catchUp, settings) = random.element(of: [
        (.none, ""), (.none, ", catch_up: none"), (.last, ", catch_up: last"),
        (.all(100), ", catch_up: all"), (.all(3), ", catch_up: all, catch_up_limit: 3"),
      ])
    }
    let line =
      (number == nil ? "" : "\(second) ") + minutes.sorted().map(String.init).joined(separator: ",") + " " + rest
    return "{ uses: cron, with: { schedule: \"\(line)\", zone: \(zone)\(settings) } }"
  }

  private mutating func drawOperations(isApart: Bool, _ random: inout SeededRandom) -> [String] {
    // Runs that are active when a host dies are resumed together, which has no order: there, nothing takes long.
    let isLong = random.oneIn(20) && !isApart
    let durations =
      isCrowded
      ? [5460, 9060, 12_660]
      : isLong ? [1860, 3660, 5460] : isApart ? [5, 10, 20] : random.oneIn(8) ? [60, 120] : [60]
    func process(_ operation: String, _ more: String, resource: String? = nil) -> String {
      let command = "\(name)-\(operation)"
      processes[command] = SimulatedMachine.Kind(
        pipeline: name, queue: queue, durations: durations, failures: random.element(of: [0, 0, 10, 30]),
        resource: resource)
      let taken = resource.map { ", resources: { \($0): 1 }" } ?? ""
      return "  - { name: \(operation), command: [sim, \(command)]\(taken)\(more) }"
    }
    let retry = ", retry: { limit: 1, backoff: constant, base: 1m, jitter: none }"
    switch random.next(below: 24) {
    case 0:
      asks = true
      return [process("a", ""), "  - { name: b, needs: [a], approve: go on? }", process("c", ", needs: [b]")]
    case 1: return [process("a", retry), process("b", ""), process("c", ", needs: [a, b]")]
    case 2: return [process("a", ""), "  - { name: b, needs: [a], wait: 2m }", process("c", ", needs: [b]")]
    case 3, 4: return [process("a", "", resource: "gpu")]
    case 5...8: return [process("a", retry)]
    case 9...17 where !isCrowded: return ["  - { name: a, value: 1 }"]
    default: return [process("a", "")]
    }
  }
}
