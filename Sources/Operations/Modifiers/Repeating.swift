/// When and how often an operation is repeated after it succeeds.
public struct RepeatPolicy<Value>: Sendable {
  /// Decides by the result and the number of runs so far (from 1): true ends the repetition, as does an error it throws.
  public typealias Until = @Sendable (Value, Int) throws -> Bool

  /// The delay between the end of one run and the start of the next.
  public var every: Duration
  /// The maximum number of runs, including the first; less than 1 counts as 1. Nil, the default, means no limit.
  public var limit: Int?
  /// The condition that ends the repetition; nil, the default, repeats up to the limit.
  public var until: Until?
  /// The number of runs before an interruption, if the repetition is being resumed; they count as runs of this one. At
  /// least one more run is made. Default: 0.
  public var runsBefore = 0
  /// Called before each wait with the number of runs so far, on the actor on which the request runs; it must return quickly. Default: nil.
  public var willWait: (@Sendable (Int) -> Void)?

  /// Creates a policy; with neither `limit` nor `until` it repeats until a run fails or is cancelled.
  public init(every: Duration, limit: Int? = nil, until: Until? = nil) {
    self.every = every
    self.limit = limit
    self.until = until
  }
}

/// Repeats a request after it succeeds. See ``OperationRequest/repeating(_:)``.
public struct RepeatModifier<Operation: OperationRequest>: OperationModifier {
  /// The policy; nil runs the request once.
  public let policy: RepeatPolicy<Operation.Value>?

  @inlinable
  init(policy: RepeatPolicy<Operation.Value>?) {
    self.policy = policy
  }

  /// Runs `operation` until the policy ends the repetition or a run fails.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    guard let policy else {
      return try await operation.run(
        isolation: isolation, in: context, with: continuation.narrowed(to: Operation.Failure.self))
    }
    return try await runRepeatedly(policy, isolation: isolation, in: context, using: operation, with: continuation)
  }

  @usableFromInline
  func runRepeatedly(
    _ policy: RepeatPolicy<Operation.Value>,
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    using operation: Operation,
    with continuation: OperationContinuation<Operation.Value, any Error>
  ) async throws -> Operation.Value {
    let narrowed = continuation.narrowed(to: Operation.Failure.self)
    let limit = policy.limit.map { max($0, 1) }
    var context = context
    var runs = max(policy.runsBefore, 0)
    while true {
      try Task.checkCancellation()
      let value = try await operation.run(isolation: isolation, in: context, with: narrowed)
      runs += 1
      if let until = policy.until, try until(value, runs) { return value }
      if let limit, runs >= limit {
        guard policy.until == nil else { throw RepeatLimitReachedError(limit: limit) }
        return value
      }
      continuation.yield(value)
      // The state of a resumed retry applies only to the run that has just ended.
      context.removeValue(for: OperationContext.RetryStateKey.self)
      policy.willWait?(runs)
      try await context.operationDelayer.delay(for: policy.every)
    }
  }
}

/// Thrown when a repeated operation has reached its limit and the policy's `until` was never true.
public struct RepeatLimitReachedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of runs.
  public let limit: Int

  /// Creates the error for `limit` runs.
  public init(limit: Int) {
    self.limit = limit
  }

  /// The identifier of this failure in history and filters.
  public var code: String { "repeat-limit-reached" }

  /// A description for people.
  public var description: String { "the condition to repeat until was not true after \(limit) runs" }
}

extension OperationRequest {
  /// Repeats the request after each success, as specified by `policy`; nil runs it once at no extra cost.
  ///
  /// Returns the value of the last run and yields the earlier ones to the continuation. The first failure ends the
  /// repetition. If the limit is reached and the policy's `until` was never true, ``RepeatLimitReachedError`` is
  /// thrown. Cancellation is checked before every run and ends a wait between two runs immediately.
  @inlinable
  public func repeating(_ policy: RepeatPolicy<Value>?) -> ModifiedOperation<Self, RepeatModifier<Self>> {
    modifier(RepeatModifier(policy: policy))
  }
}
