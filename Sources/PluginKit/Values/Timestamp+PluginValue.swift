extension Timestamp: PluginValue {
  /// Reads RFC 3339, such as `2026-03-29T02:30:00.250+01:00`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let timestamp = Timestamp(notation: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected a timestamp such as '2026-01-31T08:00:00Z', found '\(text)'")
    }
    self = timestamp
  }

  /// Creates the instant that `text` denotes in RFC 3339; nil if it is invalid. Precise to the nanosecond.
  public init?(notation text: String) {
    // A double represents the seconds of this century exactly, but not their nanoseconds, which are therefore read separately.
    guard let seconds = TimestampNotation.parse(text) else { return nil }
    var nanoseconds: Int64 = 0
    if let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) {
      let digits = text.utf8[text.utf8.index(after: point)...].prefix { $0 &- 48 < 10 }.prefix(9)
      for digit in digits { nanoseconds = nanoseconds * 10 + Int64(digit - 48) }
      for _ in digits.count..<9 { nanoseconds *= 10 }
    }
    // A slack of half a nanosecond would suffice; the parser adds the fraction to whole seconds.
    let whole = (seconds - Double(nanoseconds) / 1e9).rounded()
    self.init(seconds: Int64(whole), nanoseconds: nanoseconds)
  }

  /// Writes RFC 3339 in UTC; see ``notation``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(notation)
  }

  /// The instant in RFC 3339, in UTC, with 0, 3, 6 or 9 fractional digits as needed.
  public var notation: String {
    let text = TimestampNotation.format(Double(seconds))
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return text }
    let head = text[..<point]
    if nanoseconds == 0 { return "\(head)Z" }
    var digits = String(String(Int64(nanoseconds) + 1_000_000_000).dropFirst())
    while digits.hasSuffix("000") { digits.removeLast(3) }
    return "\(head).\(digits)Z"
  }

  /// `timestamp`
  public static var valueType: ValueType { .timestamp }
  /// The beginning of 1970.
  public static var exampleValue: Timestamp? { Timestamp(seconds: 0) }

  /// Creates the instant that is this many nanoseconds after the beginning of 1970, as the contract counts.
  init(nanosecondsSince1970 nanoseconds: Int64) {
    self.init(seconds: 0, nanoseconds: nanoseconds)
  }

  /// Nanoseconds since the beginning of 1970, saturated for instants out of range (years before 1677 and after 2262).
  var nanosecondsSince1970: Int64 {
    let exact = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    return Int64(clamping: exact)
  }
}
