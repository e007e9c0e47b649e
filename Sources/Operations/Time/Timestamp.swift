/// An instant of the wall clock: whole seconds and nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Whole seconds since the epoch, rounded down; negative before 1970.
  public let seconds: Int64
  /// The nanoseconds beyond the whole seconds, from 0 through 999,999,999.
  public let nanoseconds: Int32

  /// Creates an instant; `nanoseconds` beyond one second are carried over into the seconds.
  public init(seconds: Int64, nanoseconds: Int64 = 0) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let carry = remainder < 0 ? quotient - 1 : quotient
    self.seconds = seconds.addingSaturating(carry)
    self.nanoseconds = Int32(remainder < 0 ? remainder + 1_000_000_000 : remainder)
  }

  /// The instant as fractional seconds since 1970, precise to about a quarter of a microsecond in this century.
  public var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

  /// Returns the instant `duration` later, precise to the nanosecond; saturates at the ends of the range instead of overflowing.
  public func advanced(by duration: Duration) -> Timestamp {
    let (whole, attoseconds) = duration.components
    return Timestamp(
      seconds: seconds.addingSaturating(whole), nanoseconds: Int64(nanoseconds) + attoseconds / 1_000_000_000)
  }

  /// Returns how much later `other` is; negative if it is earlier.
  public func duration(to other: Timestamp) -> Duration {
    .seconds(other.seconds.subtractingSaturating(seconds)) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Returns whether `left` is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

extension Int64 {
  fileprivate func addingSaturating(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  fileprivate func subtractingSaturating(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
