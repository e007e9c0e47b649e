/// When, and how often, an operation runs again after it succeeded.
public struct RepeatPolicy<Value>: Sendable {
  /// Judges a result and the number of runs so far (from 1): true ends the repeating. An error it throws ends it too.
  public typealias Until = @Sendable (Value, Int) throws -> Bool

  /// How long to wait between the end of one run and the start of the next.
  public var every: Duration
  /// The most runs, the first included; less than 1 counts as 1. nil, the default, is no limit.
  public var limit: Int?
  /// What ends the repeating; nil, the default, repeats up to the limit.
  public var until: Until?
  /// How many runs came before, of a repetition that goes on after an interruption: they count as runs of this one. It runs once in any
  /// case. 0 is the default.
  public var runsBefore = 0
  /// Called before each wait, with the number of runs so far. Where it is called is where the request runs; it must return soon. nil is the default.
  public var willWait: (@Sendable (Int) -> Void)?

  /// A policy; one with neither limit nor `until` repeats until it fails or is cancelled.
  public init(every: Duration, limit: Int? = nil, until: Until? = nil) {
    self.every = every
    self.limit = limit
    self.until = until
  }
}

/// Runs a request again after it succeeded. See ``OperationRequest/repeating(_:)``.
public struct RepeatModifier<Operation: OperationRequest>: OperationModifier {
  /// When and how often; nil runs once.
  public let policy: RepeatPolicy<Operation.Value>?

  @inlinable
  init(policy: RepeatPolicy<Operation.Value>?) {
    self.policy = policy
  }

  /// Runs `operation` until the policy has enough, or it fails.
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
      // What a resumed retry had used up was used up by the run that has just ended.
      context.removeValue(for: OperationContext.RetryStateKey.self)
      policy.willWait?(runs)
      try await context.operationDelayer.delay(for: policy.every)
    }
  }
}

/// A repeated operation ran as often as it may, and what it should repeat until did not come true.
public struct RepeatLimitReachedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// How often the operation ran.
  public let limit: Int

  /// The operation ran `limit` times.
  public init(limit: Int) {
    self.limit = limit
  }

  /// Names this failure in history and in filters.
  public var code: String { "repeat-limit-reached" }

  /// The failure, for people.
  public var description: String { "the condition to repeat until was not true after \(limit) runs" }
}

extension OperationRequest {
  /// Runs the request again after each success, as `policy` says; nil runs it once and costs nothing.
  ///
  /// Returns the value of the last run, and yields those before it to the continuation. The first failure ends the
  /// repeating. When the limit is reached and the policy's `until` has not come true, ``RepeatLimitReachedError`` is
  /// thrown. Cancellation is checked before every run and ends the time between two runs at once.
  @inlinable
  public func repeating(_ policy: RepeatPolicy<Value>?) -> ModifiedOperation<Self, RepeatModifier<Self>> {
    modifier(RepeatModifier(policy: policy))
  }
}
