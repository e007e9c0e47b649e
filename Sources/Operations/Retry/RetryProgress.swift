/// The progress of one retry. Makes every decision of the retry core, without using tasks or timers.
struct RetryProgress {
  /// The decision about a failure.
  enum Verdict {
    case giveUp(RetryGiveUpReason, throwing: any Error)
    case wait(Duration, isHint: Bool, wakers: [any RetryWaker])
  }

  let policy: RetryPolicy
  let limit: Int
  let context: OperationContext
  private let start: Duration
  private(set) var state: RetryState

  /// Creates the progress of a retry whose first attempt started at `start`, or starts now if that is nil.
  init(policy: RetryPolicy, limit: Int, context: OperationContext, start: Duration? = nil) {
    self.policy = policy
    self.limit = limit
    self.context = context
    state = context.retryState ?? RetryState()
    state.attemptsUsed = max(state.attemptsUsed, 0)
    self.start = start ?? context.operationClock.monotonic() - state.elapsed
  }

  var deadline: Duration? { policy.deadline }

  /// The time since the start of the first attempt, including that before a resume.
  var elapsed: Duration { context.operationClock.monotonic() - start }

  /// Returns the remaining delay of a resumed retry before its first attempt here, once; nil if there is none left.
  mutating func takeRemainingDelay() -> Duration? {
    defer { state.remainingDelay = nil }
    return state.remainingDelay.flatMap { $0 > .zero ? $0 : nil }
  }

  mutating func beginAttempt() -> RetryScope {
    state.attemptsUsed += 1
    return RetryScope(maxRetries: limit, index: state.attemptsUsed > 1 ? state.attemptsUsed - 2 : nil)
  }

  mutating func verdict(on failure: any Error, cancelled: Bool) -> Verdict {
    if state.attemptsUsed > limit {
      return .giveUp(cancelled && failure is CancellationError ? .cancelled : .limit, throwing: failure)
    }
    if cancelled { return .giveUp(.cancelled, throwing: CancellationError()) }

    let hint: Duration?
    switch policy.decide?(failure, attempt) ?? .noOpinion {
    case .stop(let reason): return .giveUp(.stopped(reason), throwing: failure)
    case .retry: hint = nil
    case .retryAfter(let delay): hint = delay
    case .noOpinion:
      let hinting = failure as? any RetryHinting
      if let reason = hinting?.retryStopReason { return .giveUp(.stopped(reason), throwing: failure) }
      hint = hinting?.retryAfter
    }

    let delay: Duration
    if let hint {
      delay = max(hint, .zero)
    } else {
      let backoff = policy.backoff ?? context.operationBackoff
      var random = context.operationRandom
      delay = backoff.delay(beforeRetry: state.attemptsUsed, previous: state.previousDelay, using: &random)
      state.previousDelay = delay
    }
    if let deadline = policy.deadline, elapsed + delay >= deadline {
      return .giveUp(.deadline, throwing: failure)
    }
    return .wait(delay, isHint: hint != nil, wakers: (failure as? any RetryHinting)?.retryWakers ?? [])
  }

  func wait(after failure: any Error, delay: Duration) -> RetryWait {
    var kept = state
    kept.elapsed = elapsed
    kept.remainingDelay = delay
    return RetryWait(
      attempt: state.attemptsUsed, error: failure, delay: delay, due: context.operationClock.now().advanced(by: delay),
      state: kept)
  }

  private var attempt: RetryAttempt {
    RetryAttempt(number: state.attemptsUsed, maxRetries: limit, elapsed: elapsed)
  }
}
