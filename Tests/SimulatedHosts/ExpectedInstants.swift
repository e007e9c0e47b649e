import Foundation

/// When simulated pipelines are due, by the calendar of Foundation, which shares nothing with `Schedules`.
struct ExpectedInstants {
  private struct Minute {
    var seconds: Int64
    var minute: Int
    var hour: Int
    var day: Int
  }

  private let start: Int64
  private let end: Int64
  /// The minutes of each zone that clocks show for the first time.
  private var minutes: [String: [Minute]] = [:]

  /// The instants after `start` and not after `end`, in seconds since 1970.
  init(after start: Int64, upTo end: Int64) {
    self.start = start
    self.end = end
  }

  mutating func of(_ schedule: SimulatedPipeline.Schedule) -> [Int64] {
    switch schedule {
    case .interval(let step):
      return Array(stride(from: (start / step + 1) * step, through: end, by: Int64.Stride(step)))
    case .success: return []
    case .cron(let second, let wanted, let hours, let days, let zone):
      return minutes(of: zone)
        .filter { wanted.contains($0.minute) && hours.contains($0.hour) && days.contains($0.day) }
        .map { $0.seconds + Int64(second) }.filter { $0 > start && $0 <= end }
    }
  }

  private mutating func minutes(of name: String) -> [Minute] {
    if let known = minutes[name] { return known }
    guard let zone = TimeZone(identifier: name) else { preconditionFailure("there is no zone '\(name)'") }
    let offset = { (seconds: Int64) in
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
    var found: [Minute] = []
    for seconds in stride(from: start / 60 * 60, through: end, by: 60) {
      let local = seconds + offset(seconds)
      // Of a time that occurs twice, the first counts, when clocks still show what they showed two hours before.
      let former = offset(seconds - 7200)
      if former > offset(seconds), offset(local - former) == former { continue }
      // 1970 began on a Thursday.
      let days = Int((local / 86_400 + 4) % 7)
      found.append(
        Minute(seconds: seconds, minute: Int(local / 60 % 60), hour: Int(local / 3600 % 24), day: days))
    }
    minutes[name] = found
    return found
  }
}
