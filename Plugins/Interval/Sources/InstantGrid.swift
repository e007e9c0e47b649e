import PluginKit

/// Instants at equal distances, without a beginning or an end.
struct InstantGrid {
  private let origin: Int128
  private let step: Int128

  /// Creates the instants `step` apart, one of which is `origin`. `step` must be positive.
  init(from origin: Timestamp, every step: Duration) {
    self.origin = Self.nanoseconds(origin)
    let (seconds, attoseconds) = step.components
    self.step = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
  }

  /// Returns the first instant later than `time`.
  func first(after time: Timestamp) -> Timestamp { instant(index(at: time) + 1) }

  /// Returns the last instant that is not later than `time`.
  func last(notAfter time: Timestamp) -> Timestamp { instant(index(at: time)) }

  /// Returns the earliest `limit` instants after `start` and up to `end`.
  func instants(after start: Timestamp, upTo end: Timestamp, limit: Int) -> [Timestamp] {
    let (first, last) = (index(at: start) + 1, index(at: end))
    guard first <= last else { return [] }
    return (first...min(last, first + Int128(limit) - 1)).map(instant)
  }

  /// Returns the latest `limit` instants after `start` and up to `end`.
  func latest(_ limit: Int, after start: Timestamp, upTo end: Timestamp) -> [Timestamp] {
    let (first, last) = (index(at: start) + 1, index(at: end))
    guard first <= last else { return [] }
    return (max(first, last - Int128(limit) + 1)...last).map(instant)
  }

  /// Returns the number of instants after `start` and up to `end`.
  func count(after start: Timestamp, upTo end: Timestamp) -> Int {
    Int(clamping: max(0, index(at: end) - index(at: start)))
  }

  /// Returns the number of instants between two instants, excluding both.
  func count(between first: Timestamp, and second: Timestamp) -> Int {
    Int(clamping: max(0, index(at: second) - index(at: first) - 1))
  }

  /// Returns the index, counted from the origin, of the last instant that is not later than `time`.
  private func index(at time: Timestamp) -> Int128 {
    let (quotient, remainder) = (Self.nanoseconds(time) - origin).quotientAndRemainder(dividingBy: step)
    return remainder < 0 ? quotient - 1 : quotient
  }

  private func instant(_ index: Int128) -> Timestamp {
    let nanoseconds = origin + index * step
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Timestamp(seconds: Int64(clamping: seconds), nanoseconds: Int64(rest))
  }

  private static func nanoseconds(_ time: Timestamp) -> Int128 {
    Int128(time.seconds) * 1_000_000_000 + Int128(time.nanoseconds)
  }
}
