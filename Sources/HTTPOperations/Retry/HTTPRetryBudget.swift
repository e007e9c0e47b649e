public import Operations
import Synchronization

/// Bounds the retries to each endpoint, so that a service that is down is not kept down by those who try again.
///
/// A bucket of tokens for each scheme, host and port: a retry takes one, and where there is none, the failure is final,
/// with the reason. First attempts take none. By default a bucket holds 100 tokens and gets back 10 a second: a burst
/// of a hundred retries, and ten a second for as long as it takes.
public final class HTTPRetryBudget: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: Duration
  }

  /// The one that operations have unless they are given another, or none.
  public static let shared = HTTPRetryBudget()

  /// How many tokens a bucket can hold.
  public let capacity: Double
  /// How many tokens a bucket gets back in a second.
  public let refill: Double
  private let clock: any OperationClock
  private let buckets: Mutex<[HTTPEndpoint: Bucket]> = Mutex([:])

  /// A budget whose buckets are full.
  ///
  /// - Parameters:
  ///   - capacity: How many tokens a bucket can hold.
  ///   - refill: How many tokens a bucket gets back in a second.
  ///   - clock: Tells when a bucket gets them back. The budget's own, whatever clocks the operations have that share it.
  public init(capacity: Double = 100, refill: Double = 10, clock: any OperationClock = .system) {
    self.clock = clock
    self.capacity = max(capacity, 0)
    self.refill = max(refill, 0)
  }

  /// Takes a token for a retry.
  ///
  /// - Parameter endpoint: Who is tried again.
  /// - Returns: Whether there was one.
  public func take(for endpoint: HTTPEndpoint) -> Bool {
    let time = clock.monotonic()
    return buckets.withLock { buckets in
      if buckets.count > 1000 { buckets = buckets.filter { held(in: $0.value, at: time) < capacity } }
      let bucket = buckets[endpoint] ?? Bucket(tokens: capacity, filledAt: time)
      let tokens = held(in: bucket, at: time)
      guard tokens >= 1 else { return false }
      buckets[endpoint] = Bucket(tokens: tokens - 1, filledAt: max(time, bucket.filledAt))
      return true
    }
  }

  private func held(in bucket: Bucket, at time: Duration) -> Double {
    let elapsed = max(time - bucket.filledAt, .zero) / .seconds(1)
    return min(capacity, bucket.tokens + elapsed * refill)
  }
}
