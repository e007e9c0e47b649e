/// Reads durations as in `P1D`, `P2W` and `PT1H30M`.
enum ICalendarDuration {
  /// Returns the days, and the seconds in addition to them; nil if `text` is not a duration, is negative, or exceeds a thousand years.
  static func parse(_ text: String) -> (days: Int64, seconds: Int64)? {
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    var (days, seconds): (Int64, Int64) = (0, 0)
    var isTime = false
    while !rest.isEmpty {
      if !isTime, rest.first == UInt8(ascii: "T") {
        rest.removeFirst()
        isTime = true
        guard !rest.isEmpty else { return nil }
      }
      let digits = rest.prefix { $0.isDigit }
      guard (1...8).contains(digits.count), let number = Int64(String(decoding: digits, as: UTF8.self)) else {
        return nil
      }
      rest = rest.dropFirst(digits.count)
      switch (rest.popFirst(), isTime) {
      case (UInt8(ascii: "W"), false): days += number * 7
      case (UInt8(ascii: "D"), false): days += number
      case (UInt8(ascii: "H"), true): seconds += number * 3600
      case (UInt8(ascii: "M"), true): seconds += number * 60
      case (UInt8(ascii: "S"), true): seconds += number
      default: return nil
      }
    }
    return days <= 366_000 && seconds <= 366_000 * 86_400 ? (days, seconds) : nil
  }
}
