/// The delays before retries.
///
/// The curves, for a base of 1 s and before jitter, in seconds:
///
/// | kind | before retry 1, 2, 3, 4, 5 |
/// |---|---|
/// | constant | 1, 1, 1, 1, 1 |
/// | linear | 1, 2, 3, 4, 5 |
/// | exponential | 1, 2, 4, 8, 16 |
/// | fibonacci | 1, 1, 2, 3, 5 |
/// | decorrelated | uniform between 1 and three times the previous delay, which is initially 1 |
public struct OperationBackoff: Sendable, Hashable {
  /// The curve of the delays.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Always the base.
    case constant
    /// The base times the number of the retry.
    case linear
    /// The base, doubled with each further retry.
    case exponential
    /// The base times the Fibonacci numbers 1, 1, 2, 3, 5, …
    case fibonacci
    /// Uniform between the base and three times the previous delay. Random by itself, so jitter does not apply.
    case decorrelated
  }

  /// Randomises a delay of the curve, so that many clients of one service do not return at the same instant.
  public enum Jitter: String, Sendable, Hashable, CaseIterable {
    /// No randomisation.
    case none
    /// Uniform between zero and the delay.
    case full
    /// Half of the delay, plus a uniform share of the other half.
    case equal
  }

  /// The curve.
  public var kind: Kind
  /// The unit of the curve. A negative value counts as zero.
  public var base: Duration
  /// The maximum delay, applied before the jitter.
  public var cap: Duration
  /// The jitter.
  public var jitter: Jitter

  /// Creates a backoff; by default exponential from 1 s up to 60 s, with full jitter.
  public init(
    _ kind: Kind = .exponential,
    base: Duration = .seconds(1),
    cap: Duration = .seconds(60),
    jitter: Jitter = .full
  ) {
    self.kind = kind
    self.base = base
    self.cap = cap
    self.jitter = jitter
  }

  /// No delay.
  public static let none = OperationBackoff(.constant, base: .zero, cap: .zero, jitter: .none)

  /// Returns a backoff whose delay is always exactly `delay`.
  public static func constant(_ delay: Duration) -> OperationBackoff {
    OperationBackoff(.constant, base: delay, cap: delay, jitter: .none)
  }

  /// Returns the delay before a retry.
  ///
  /// Never overflows: a delay that would is replaced by the cap.
  ///
  /// - Parameters:
  ///   - n: The number of the retry, from 1; less counts as 1.
  ///   - previous: The delay chosen for the previous retry, which only the decorrelated kind reads; nil for the first.
  ///   - random: The source of randomness for the jitter. Not used if nothing is random.
  /// - Returns: The delay, never negative and never above the cap.
  public func delay(
    beforeRetry n: Int,
    previous: Duration?,
    using random: inout some RandomNumberGenerator
  ) -> Duration {
    let base = max(base, .zero).attoseconds
    let cap = max(cap, .zero).attoseconds
    let retry = Int128(max(n, 1))
    switch kind {
    case .constant:
      return spread(min(base, cap), using: &random)
    case .linear:
      return spread(Self.product(base, retry, cap: cap), using: &random)
    case .exponential:
      // 2^125 attoseconds are 10^12 years: beyond any cap.
      return spread(Self.product(base, 1 << min(retry - 1, 125), cap: cap), using: &random)
    case .fibonacci:
      return spread(Self.product(base, Self.fibonacci(retry), cap: cap), using: &random)
    case .decorrelated:
      let highest = Self.product(max(previous?.attoseconds ?? base, base), 3, cap: cap)
      return Duration(attoseconds: Int128.random(in: min(base, highest)...highest, using: &random))
    }
  }

  private func spread(_ delay: Int128, using random: inout some RandomNumberGenerator) -> Duration {
    switch jitter {
    case .none:
      return Duration(attoseconds: delay)
    case .full:
      return Duration(attoseconds: Int128.random(in: 0...delay, using: &random))
    case .equal:
      let half = delay / 2
      return Duration(attoseconds: delay - half + Int128.random(in: 0...half, using: &random))
    }
  }

  private static func product(_ base: Int128, _ factor: Int128, cap: Int128) -> Int128 {
    let (product, overflow) = base.multipliedReportingOverflow(by: factor)
    return overflow ? cap : min(product, cap)
  }

  private static func fibonacci(_ n: Int128) -> Int128 {
    var (current, next): (Int128, Int128) = (1, 1)
    // The 180th still fits into 127 bits, and is beyond any cap.
    for _ in 1..<max(min(n, 180), 1) { (current, next) = (next, current + next) }
    return current
  }
}

extension OperationContext {
  enum BackoffKey: Key {
    static let defaultValue = OperationBackoff()
  }

  /// The backoff of retries whose policy has none. By default exponential, 1 s to 60 s, with full jitter.
  public var operationBackoff: OperationBackoff {
    get { self[BackoffKey.self] }
    set { self[BackoffKey.self] = newValue }
  }
}

extension OperationRequest {
  /// Sets the backoff of the request's retry, unless its policy has one.
  public func backoff(_ backoff: OperationBackoff) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationBackoff = backoff }
  }
}
