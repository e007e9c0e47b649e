public import HTTPTypes
public import Operations

/// Parses the time after which a server accepts another request.
public enum RetryAfter {
  /// Returns how long the server asks to wait: `Retry-After` in seconds, or as a date in any of HTTP's three formats.
  ///
  /// A date is compared with the server's own `Date` if there is one, so that the wait is right even if our clock is wrong. A date in the past is a wait
  /// of zero.
  ///
  /// - Parameters:
  ///   - fields: The fields of the response.
  ///   - now: The current time.
  /// - Returns: nil if the field is missing or invalid. Never negative.
  public static func delay(in fields: HTTPFields, now: Timestamp) -> Duration? {
    guard let value = fields[.retryAfter] else { return nil }
    return delay(value, now: fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now)
  }

  /// Returns how long `value` asks to wait at `now`; nil if it is invalid.
  public static func delay(_ value: String, now: Timestamp) -> Duration? {
    let digits = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    if let first = digits.first, (0x30...0x39).contains(first) {
      let seconds = value.trimmingSpaces()
      guard seconds.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      // A number that overflows becomes a century, which exceeds every cap.
      return .seconds(min(Int64(seconds) ?? .max, 3_155_760_000))
    }
    return HTTPDate.parse(value, now: now).map { max(now.duration(to: $0), .zero) }
  }
}

extension HTTPField.Name {
  /// `Idempotency-Key`: the server processes the same request only once, however often it is sent.
  public static var idempotencyKey: HTTPField.Name {
    // The name is valid, so the fallback is never used.
    HTTPField.Name("Idempotency-Key") ?? .expect
  }
}

extension String {
  /// Returns the text without surrounding spaces and tabs.
  func trimmingSpaces() -> String {
    var rest = Substring(self)
    while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return String(rest)
  }
}
