public import HTTPTypes
public import Operations

/// When a server wants to be asked again.
public enum RetryAfter {
  /// How long the server asks to wait: `Retry-After` in seconds, or as a date in any of HTTP's three forms.
  ///
  /// A date is compared with the server's own `Date` where there is one, so that the wait is right although our clock
  /// is not. A date that has passed is no wait.
  ///
  /// - Parameters:
  ///   - fields: Those of the response.
  ///   - now: The time here.
  /// - Returns: nil where the field is missing or cannot be read. Never negative.
  public static func delay(in fields: HTTPFields, now: Timestamp) -> Duration? {
    guard let value = fields[.retryAfter] else { return nil }
    return delay(value, now: fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now)
  }

  /// How long `value` asks to wait at `now`; nil where it cannot be read.
  public static func delay(_ value: String, now: Timestamp) -> Duration? {
    let digits = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    if let first = digits.first, (0x30...0x39).contains(first) {
      let seconds = value.trimmingSpaces()
      guard seconds.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      // More digits than a number can hold are a century, which every cap is shorter than.
      return .seconds(min(Int64(seconds) ?? .max, 3_155_760_000))
    }
    return HTTPDate.parse(value, now: now).map { max(now.duration(to: $0), .zero) }
  }
}

extension HTTPField.Name {
  /// `Idempotency-Key`: the server does the same request only once, however often it comes.
  public static var idempotencyKey: HTTPField.Name {
    // The name is valid, so that the fallback is never taken.
    HTTPField.Name("Idempotency-Key") ?? .expect
  }
}

extension String {
  /// Without spaces and tabulators around it.
  func trimmingSpaces() -> String {
    var rest = Substring(self)
    while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest.removeLast() }
    return String(rest)
  }
}
