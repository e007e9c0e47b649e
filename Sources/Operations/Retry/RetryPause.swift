import Synchronization

/// The wait before a retry: ends when the delay is over, a waker fires or the task is cancelled, whichever comes first.
///
/// A class for the same reason as ``RetryRun``. Used once.
package final class RetryPause: Sendable {
  private enum State {
    case quiet
    case awaited(UnsafeContinuation<RetryWakeCause, any Error>)
    case over(Result<RetryWakeCause, any Error>)
  }

  /// What may end the wait, as set up by `init`.
  private struct Enders {
    /// The subscriptions of the wakers and the alarm, to be cancelled when the wait ends.
    var subscriptions: [OperationSubscription] = []
    var hasWakers = false
    var hasAlarm = false
  }

  private let delay: Duration
  private let context: OperationContext
  private let state = Mutex(State.quiet)
  private let enders = Mutex(Enders())

  /// Starts a wait for `delay`, which any of `wakers` may cut short; call ``run(isolation:)`` afterwards. The delayer
  /// and the observer are those of `context`.
  package init(of delay: Duration, wakers: [any RetryWaker], in context: OperationContext) {
    self.delay = delay
    self.context = context
    var enders = Enders(hasWakers: !wakers.isEmpty)
    enders.subscriptions = wakers.map { waker in
      waker.subscribe { [name = waker.name] in self.end(.success(.waker(name))) }
    }
    if let alarm = context.operationDelayer.alarm(after: delay, { self.end(.success(.delay)) }) {
      enders.subscriptions.append(alarm)
      enders.hasAlarm = true
    }
    self.enders.withLock { $0 = enders }
  }

  /// Returns when the next attempt may start; throws `CancellationError` if there will be none.
  package func run(isolation: isolated (any Actor)?) async throws {
    let outcome: Result<RetryWakeCause, any Error>
    do {
      outcome = .success(
        enders.withLock { $0.hasAlarm }
          ? try await ended(isolation: isolation) : try await passed(isolation: isolation))
    } catch {
      outcome = .failure(error)
    }
    try conclude(outcome)
  }

  private func conclude(_ outcome: Result<RetryWakeCause, any Error>) throws {
    for subscription in enders.withLock({ $0.subscriptions }) { subscription.cancel() }
    let observer = context.retryObserver
    // A simultaneous cancellation takes precedence: no attempt may follow it.
    guard !Task.isCancelled else {
      observer?.onWake(.cancelled)
      observer?.onGiveUp(.cancelled)
      throw CancellationError()
    }
    switch outcome {
    case .success(let cause):
      observer?.onWake(cause)
    case .failure(let error):
      observer?.onGiveUp(.stopped("the delay failed: \(error)"))
      throw error
    }
  }

  /// Waits for the delay without an alarm.
  private func passed(isolation: isolated (any Actor)?) async throws -> RetryWakeCause {
    // A separate task is only needed if something else can end the wait.
    if enders.withLock({ $0.hasWakers }) { return try await race(isolation: isolation) }
    try await context.operationDelayer.delay(for: delay)
    return .delay
  }

  private func race(isolation: isolated (any Actor)?) async throws -> RetryWakeCause {
    try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
      group.addImmediateTask { [pause = self] in await Self.sleep(isolation: isolation, in: pause) }
      defer { group.cancelAll() }
      return try await ended(isolation: isolation)
    }
  }

  private static func sleep(isolation: isolated (any Actor)?, in pause: RetryPause) async {
    do {
      try await pause.context.operationDelayer.delay(for: pause.delay)
      pause.end(.success(.delay))
    } catch {
      pause.end(.failure(error))
    }
  }

  /// Ends the wait, unless it has ended already. May be called from any thread.
  private func end(_ outcome: Result<RetryWakeCause, any Error>) {
    let waiting: UnsafeContinuation<RetryWakeCause, any Error>? = state.withLock { state in
      switch state {
      case .quiet:
        state = .over(outcome)
        return nil
      case .awaited(let continuation):
        state = .over(outcome)
        return continuation
      case .over:
        return nil
      }
    }
    waiting?.resume(with: outcome)
  }

  /// Waits for whatever comes first; cancelling the task ends the wait too.
  private func ended(isolation: isolated (any Actor)?) async throws -> RetryWakeCause {
    try await withTaskCancellationHandler {
      // Unsafe, to avoid an allocation: the state holds the continuation until the single call that ends the wait removes it.
      try await withUnsafeThrowingContinuation(isolation: isolation) { continuation in
        let outcome: Result<RetryWakeCause, any Error>? = state.withLock { state in
          if case .over(let outcome) = state { return outcome }
          state = .awaited(continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      end(.success(.cancelled))
    }
  }
}
