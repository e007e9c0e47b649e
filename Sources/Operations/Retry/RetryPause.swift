import Synchronization

/// The wait before a retry: ends when the delay is over, a waker fires or the task is cancelled, whichever comes first.
///
/// An object for the reason that ``RetryRun`` is one. Used once.
package final class RetryPause: Sendable {
  private enum State {
    case quiet
    case awaited(UnsafeContinuation<RetryWakeCause, any Error>)
    case over(Result<RetryWakeCause, any Error>)
  }

  /// What may end the wait, as `init` found it.
  private struct Enders {
    /// The wakers', and the alarm's, which have to be cancelled when the wait is over.
    var subscriptions: [OperationSubscription] = []
    var hasWakers = false
    var hasAlarm = false
  }

  private let delay: Duration
  private let context: OperationContext
  private let state = Mutex(State.quiet)
  private let enders = Mutex(Enders())

  /// A wait for `delay`, which any of `wakers` may cut short: it begins here, and has to be run. In `context` are who lets time pass, and
  /// who is told.
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

  /// Returns when the next attempt may begin, and throws `CancellationError` when there will be none.
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
    // A cancellation that comes together with something else wins: no attempt may follow it.
    guard !Task.isCancelled else {
      observer?.onWake(.cancelled)
      observer?.onGiveUp(.cancelled)
      throw CancellationError()
    }
    switch outcome {
    case .success(let cause):
      observer?.onWake(cause)
    case .failure(let error):
      observer?.onGiveUp(.stopped("the delay could not be kept: \(error)"))
      throw error
    }
  }

  /// Lets the delay pass without an alarm.
  private func passed(isolation: isolated (any Actor)?) async throws -> RetryWakeCause {
    // In a task of its own only where something else can end the wait.
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

  /// Ends the wait, unless it has ended. From any thread.
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

  /// What came first; the cancellation of the task ends the wait too.
  private func ended(isolation: isolated (any Actor)?) async throws -> RetryWakeCause {
    try await withTaskCancellationHandler {
      // Unsafe, which takes no memory: the state has the continuation until the one call that ends the wait takes it out.
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
