/// Accumulates statistics of runs, or of one operation, while records are read: how they ended, and how long successes took.
struct DurationTally: Equatable {
  /// In a stored tally with more different durations than this, durations are rounded; see ``rounded(_:)``.
  static let mostExact = 64

  /// A duration in microseconds, and how often it occurred.
  struct Sample: Equatable {
    var duration: Int64
    var count: Int64
  }

  /// How many have ended.
  var count: Int64 = 0
  var succeeded: Int64 = 0
  var failed: Int64 = 0
  /// How many of them needed more than one attempt.
  var retried: Int64 = 0
  /// The sum of the durations of successes, in microseconds.
  var total: Int64 = 0
  /// The longest duration of a success, in microseconds.
  var longest: Int64 = 0
  /// The durations of successes, unordered; a duration may occur in several samples.
  private(set) var samples: [Sample] = []

  mutating func add(state: String, started: Int64?, ended: Int64, attempts: Int64 = 1) {
    count += 1
    if attempts > 1 { retried += 1 }
    if state == "failed" { failed += 1 }
    guard state == "succeeded" else { return }
    succeeded += 1
    // The wall clock may have been set back in the meantime.
    if let started {
      let (first, last) = (RecordTime(microseconds: started), RecordTime(microseconds: ended))
      add(Sample(duration: max(0, last.microseconds - first.microseconds), count: 1))
    }
  }

  mutating func add(_ sample: Sample) {
    total = total.addingSaturating(sample.duration.multipliedSaturating(by: sample.count))
    longest = max(longest, sample.duration)
    samples.append(sample)
  }

  mutating func add(_ other: DurationTally) {
    count = count.addingSaturating(other.count)
    succeeded = succeeded.addingSaturating(other.succeeded)
    failed = failed.addingSaturating(other.failed)
    retried = retried.addingSaturating(other.retried)
    total = total.addingSaturating(other.total)
    longest = max(longest, other.longest)
    samples += other.samples
  }

  /// Creates a tally from its stored parts.
  static func kept(
    count: Int64, succeeded: Int64, failed: Int64, retried: Int64, total: Int64, longest: Int64, samples: [Sample]
  ) -> DurationTally {
    DurationTally(
      count: count, succeeded: succeeded, failed: failed, retried: retried, total: total, longest: longest,
      samples: samples)
  }

  /// Returns the samples by duration, each duration once, rounded if there are many different ones.
  func condensed() -> [Sample] {
    let exact = Self.merged(samples)
    guard exact.count > Self.mostExact else { return exact }
    return Self.merged(exact.map { Sample(duration: Self.rounded($0.duration), count: $0.count) })
  }

  /// Returns the durations that these shares of all samples do not exceed, by the nearest rank, or nil without samples. Shares must be ascending.
  func quantiles(_ shares: [Double]) -> [Int64]? {
    let sorted = samples.sorted { $0.duration < $1.duration }
    let total = sorted.reduce(Int64(0)) { $0.addingSaturating($1.count) }
    guard total > 0 else { return nil }
    var found: [Int64] = []
    var seen: Int64 = 0
    var place = 0
    for share in shares {
      let rank = max(1, Int64(exactly: (share * Double(total)).rounded(.up)) ?? total)
      while place < sorted.count - 1, seen.addingSaturating(sorted[place].count) < rank {
        seen = seen.addingSaturating(sorted[place].count)
        place += 1
      }
      found.append(min(sorted[place].duration, longest))
    }
    return found
  }

  /// Returns the middle of the duration's interval, of which there are 64 per doubling: the error is at most 0.8 %.
  static func rounded(_ duration: Int64) -> Int64 {
    let bits = 64 - duration.leadingZeroBitCount
    guard bits > 7 else { return duration }
    let shift = Int64(bits - 7)
    return ((duration >> shift) << shift) + (1 << shift) / 2
  }

  private static func merged(_ samples: [Sample]) -> [Sample] {
    var merged: [Sample] = []
    for sample in samples.sorted(by: { $0.duration < $1.duration }) {
      if merged.last?.duration == sample.duration {
        merged[merged.count - 1].count = merged[merged.count - 1].count.addingSaturating(sample.count)
      } else {
        merged.append(sample)
      }
    }
    return merged
  }
}
