public import Operations
import Synchronization

/// Limits the retries to each endpoint, so that retries do not keep an overloaded service down.
///
/// There is a token bucket for each scheme, host and port: a retry takes one token, and if there is none, the failure is final, with this reason. First
/// attempts take none. By default a bucket holds 100 tokens and regains 10 a second: this allows a burst of a hundred retries, and ten a second in the
/// long run.
public final class HTTPRetryBudget: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: Duration
  }

  /// The budget that operations use by default.
  public static let shared = HTTPRetryBudget()

  /// The maximum number of tokens in a bucket.
  public let capacity: Double
  /// The number of tokens that a bucket regains per second.
  public let refill: Double
  private let clock: any OperationClock
  private let buckets: Mutex<[HTTPEndpoint: Bucket]> = Mutex([:])

  /// Creates a budget with full buckets.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of tokens in a bucket.
  ///   - refill: The number of tokens that a bucket regains per second.
  ///   - clock: The clock for the refill. It belongs to the budget, whatever clocks the operations sharing it have.
  public init(capacity: Double = 100, refill: Double = 10, clock: any OperationClock = .system) {
    self.clock = clock
    self.capacity = max(capacity, 0)
    self.refill = max(refill, 0)
  }

  /// Takes a token for a retry.
  ///
  /// - Parameter endpoint: The endpoint of the request to retry.
  /// - Returns: Whether there was a token.
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
