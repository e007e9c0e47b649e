/// Durations as pipeline files write them: `1h30m`, `200ms`, `1.5s`, `2d`, `1w`.
public enum DurationNotation {
  /// The units in nanoseconds, largest first.
  private static let units: [(name: String, nanoseconds: Int64)] = [
    ("w", 604_800_000_000_000), ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
    ("s", 1_000_000_000), ("ms", 1_000_000),
  ]

  /// Returns the duration that `text` stands for, or nil if it is not a duration or is longer than ``longest``.
  ///
  /// The units are `ms s m h d w`, largest first, each at most once; a number may have a fraction of up to nine digits.
  /// Only `0` needs no unit.
  public static func parse(_ text: String) -> Duration? {
    let bytes = Array(text.utf8)
    if bytes == [UInt8(ascii: "0")] { return .zero }
    var at = 0
    var nextUnit = 0
    var total: Int64 = 0
    while at < bytes.count {
      guard let number = NotationNumber(bytes, at: &at), at < bytes.count else { return nil }
      let start = at
      while at < bytes.count, bytes[at] >= UInt8(ascii: "a"), bytes[at] <= UInt8(ascii: "z") { at += 1 }
      let name = String(decoding: bytes[start..<at], as: UTF8.self)
      guard let unit = units[nextUnit...].firstIndex(where: { $0.name == name }),
        let part = number.times(units[unit].nanoseconds)
      else { return nil }
      nextUnit = unit + 1
      let (sum, isTooLong) = total.addingReportingOverflow(part)
      guard !isTooLong else { return nil }
      total = sum
    }
    return bytes.isEmpty ? nil : .nanoseconds(total)
  }

  /// The longest duration in whole weeks: 64 bits hold 292 years in nanoseconds.
  public static let longest = "15250w"

  /// Returns whether `text` is a well-formed duration that exceeds the maximum.
  public static func isTooLong(_ text: String) -> Bool {
    var total = 0.0
    var rest = text[...]
    var left = units[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0 == "." || ("0"..."9").contains($0) }
      let name = rest.dropFirst(digits.count).prefix { ("a"..."z").contains($0) }
      guard digits.first != ".", digits.last != ".", let number = Double(digits),
        let unit = left.firstIndex(where: { $0.name == name })
      else { return false }
      total += number * Double(units[unit].nanoseconds)
      left = units[(unit + 1)...]
      rest = rest.dropFirst(digits.count + name.count)
    }
    return total >= Double(Int64.max)
  }

  /// Returns the notation of `duration`, such as `1h30m`, rounded to milliseconds; the largest unit is days, and zero is `0s`.
  public static func format(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    var milliseconds =
      Int128(seconds) * 1000
      + Int128((attoseconds + (attoseconds < 0 ? -1 : 1) * 500_000_000_000_000) / 1_000_000_000_000_000)
    var text = milliseconds < 0 ? "-" : ""
    milliseconds = abs(milliseconds)
    if milliseconds == 0 { return "0s" }
    if milliseconds < 1000 { return text + "\(milliseconds)ms" }
    for (name, length) in [("d", Int128(86_400_000)), ("h", 3_600_000), ("m", 60_000)] where milliseconds >= length {
      text += "\(milliseconds / length)\(name)"
      milliseconds %= length
    }
    if milliseconds > 0 {
      text += "\(milliseconds / 1000)"
      let fraction = milliseconds % 1000
      if fraction > 0 {
        var digits = String(String(fraction + 1000).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        text += ".\(digits)"
      }
      text += "s"
    }
    return text
  }
}

/// An unsigned number in a duration or a size, kept exactly.
struct NotationNumber {
  /// All digits as a single whole number.
  private var digits: Int64 = 0
  /// The power of ten to divide the digits by.
  private var divisor: Int64 = 1

  /// Reads digits and an optional fraction; nil if there is no number at `at`, or it has more than 18 digits in all or
  /// nine after the point.
  init?(_ bytes: [UInt8], at: inout Int) {
    guard let whole = readDigits(bytes, at: &at, atMost: 18) else { return nil }
    guard at < bytes.count, bytes[at] == UInt8(ascii: ".") else { return }
    at += 1
    guard let fraction = readDigits(bytes, at: &at, atMost: min(9, 18 - whole)) else { return nil }
    for _ in 0..<fraction { divisor *= 10 }
  }

  /// Appends the digits at `at` and returns how many there are, or nil if there are none or too many.
  private mutating func readDigits(_ bytes: [UInt8], at: inout Int, atMost limit: Int) -> Int? {
    let start = at
    while at < bytes.count, bytes[at] &- 48 < 10 {
      guard at - start < limit else { return nil }
      digits = digits * 10 + Int64(bytes[at] - 48)
      at += 1
    }
    return at > start ? at - start : nil
  }

  /// Returns the number times `unit`, rounded down to a whole number, or nil if it does not fit into 64 bits.
  func times(_ unit: Int64) -> Int64? {
    Int64(exactly: Int128(digits) * Int128(unit) / Int128(divisor))
  }
}
