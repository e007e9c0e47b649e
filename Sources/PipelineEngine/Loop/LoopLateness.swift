/// How late the event loop of a host was in some stretch of time.
package struct LoopLateness: Sendable, Hashable {
  /// How late timers fired, each. Up to a millisecond of that is the kernel's, which waits for whole ones.
  package var timers = Figures()
  /// How long the loop was busy with other things before it looked again for what is due: the longest that an event may have waited.
  package var turns = Figures()

  /// How long something took, many times. Percentiles are exact to an eighth, and never less than what was measured.
  package struct Figures: Sendable, Hashable {
    /// How many times.
    package var count = 0
    /// Half of them took no longer.
    package var median = Duration.zero
    /// 99 of 100.
    package var p99 = Duration.zero
    /// 999 of 1,000.
    package var p999 = Duration.zero
    /// The longest.
    package var maximum = Duration.zero
  }
}

/// Counts durations by their lengths, to the microsecond below 16 µs and to an eighth above, up to some 19 hours.
struct DurationHistogram: Sendable {
  private static let exact = 16
  /// 2 to the power of this is `exact`.
  private static let exactBits = 4
  /// So many buckets are in each doubling.
  private static let parts = 8
  private static let longest: Int64 = 1 << 36 - 1

  private var buckets = [UInt32](repeating: 0, count: Self.bucket(of: Self.longest) + 1)
  private var maximum: Duration = .zero

  /// Takes a duration; those below zero count as zero.
  mutating func add(_ duration: Duration) {
    if duration > maximum { maximum = duration }
    let bucket = Self.bucket(of: duration > .zero ? min(Self.roundedUp(duration), Self.longest) : 0)
    if buckets[bucket] < .max { buckets[bucket] += 1 }
  }

  /// The figures so far.
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

  /// The most microseconds that are in a bucket.
  private static func end(of bucket: Int) -> Int64 {
    guard bucket >= exact else { return Int64(bucket) }
    let (doubling, part) = (bucket - exact).quotientAndRemainder(dividingBy: parts)
    return (Int64(parts + part + 1) << Int64(doubling + 1)) - 1
  }
}
