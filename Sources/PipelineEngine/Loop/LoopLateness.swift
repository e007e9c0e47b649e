/// How late the event loop of a host was in a period of time.
package struct LoopLateness: Sendable, Hashable {
  /// How late each timer fired. Up to a millisecond of this is due to the kernel, which waits for whole milliseconds.
  package var timers = Figures()
  /// How long the event loop was busy before it checked for due work again: the longest that an event may have waited.
  package var turns = Figures()

  /// Statistics of many durations. Percentiles are exact to an eighth, and never less than what was measured.
  package struct Figures: Sendable, Hashable {
    /// The number of durations.
    package var count = 0
    /// Half of the durations were at most this long.
    package var median = Duration.zero
    /// 99 of 100 durations were at most this long.
    package var p99 = Duration.zero
    /// 999 of 1,000 durations were at most this long.
    package var p999 = Duration.zero
    /// The longest duration.
    package var maximum = Duration.zero
  }
}

/// A histogram of durations, exact to the microsecond below 16 µs and to an eighth above, up to some 19 hours.
struct DurationHistogram: Sendable {
  private static let exact = 16
  /// The binary logarithm of `exact`.
  private static let exactBits = 4
  /// The number of buckets in each doubling.
  private static let parts = 8
  private static let longest: Int64 = 1 << 36 - 1

  private var buckets = [UInt32](repeating: 0, count: Self.bucket(of: Self.longest) + 1)
  private var maximum: Duration = .zero

  /// Adds a duration; negative durations count as zero.
  mutating func add(_ duration: Duration) {
    if duration > maximum { maximum = duration }
    let bucket = Self.bucket(of: duration > .zero ? min(Self.roundedUp(duration), Self.longest) : 0)
    if buckets[bucket] < .max { buckets[bucket] += 1 }
  }

  /// The statistics so far.
  var figures: LoopLateness.Figures {
    var figures = LoopLateness.Figures()
    figures.count = buckets.reduce(0) { $0 + Int($1) }
    figures.maximum = maximum
    func reached(_ thousandths: Int) -> Duration {
      let place = (figures.count * thousandths + 999) / 1000
      var seen = 0
      for (bucket, count) in buckets.enumerated() {
        seen += Int(count)
        if seen >= place, bucket < buckets.count - 1 { return min(.microseconds(Self.end(of: bucket)), maximum) }
      }
      return maximum
    }
    guard figures.count > 0 else { return figures }
    (figures.median, figures.p99, figures.p999) = (reached(500), reached(990), reached(999))
    return figures
  }

  private static func roundedUp(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard seconds < longest / 1_000_000 else { return longest }
    return seconds * 1_000_000 + (attoseconds + 999_999_999_999) / 1_000_000_000_000
  }

  private static func bucket(of microseconds: Int64) -> Int {
    guard microseconds >= exact else { return Int(microseconds) }
    let doubling = 63 - microseconds.leadingZeroBitCount
    let part = Int(microseconds >> Int64(doubling - exactBits + 1)) - parts
    return exact + (doubling - exactBits) * parts + part
  }

  /// The largest number of microseconds in a bucket.
  private static func end(of bucket: Int) -> Int64 {
    guard bucket >= exact else { return Int64(bucket) }
    let (doubling, part) = (bucket - exact).quotientAndRemainder(dividingBy: parts)
    return (Int64(parts + part + 1) << Int64(doubling + 1)) - 1
  }
}
