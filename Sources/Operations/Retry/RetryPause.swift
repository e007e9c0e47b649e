import Synchronization

/// The wait before a retry: ends when the delay is over, a waker fires or the task is cancelled, whichever comes first.
struct RetryPause {
  let wakers: [any RetryWaker]
  let delayer: any OperationDelayer
  let observer: RetryObserver?

  /// The pause with further wakers.
  func with(_ wakers: [any RetryWaker]) -> RetryPause {
    wakers.isEmpty ? self : RetryPause(wakers: self.wakers + wakers, delayer: delayer, observer: observer)
  }

  /// Returns when the next attempt may begin, and throws `CancellationError` when there will be none.
  func run(isolation: isolated (any Actor)?, for delay: Duration, heedingWakers: Bool) async throws {
    let outcome: Result<RetryWakeCause, any Error>
    if heedingWakers, !wakers.isEmpty {
      outcome = await race(isolation: isolation, for: delay)
    } else {
      do {
        try await delayer.delay(for: delay)
        outcome = .success(.delay)
      } catch {
        outcome = .failure(error)
      }
    }
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

  private func race(isolation: isolated (any Actor)?, for delay: Duration) async -> Result<RetryWakeCause, any Error> {
    let alarm = RetryAlarm()
    let subscriptions = wakers.map { waker in
      waker.subscribe { [name = waker.name] in alarm.ring(.success(.waker(name))) }
    }
    defer {
      for subscription in subscriptions { subscription.cancel() }
    }
    return await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self, isolation: isolation) { group in
        group.addImmediateTask { [delayer] in
          await Self.ring(alarm, isolation: isolation, after: delay, by: delayer)
        }
        let outcome = await alarm.rung(isolation: isolation)
        group.cancelAll()
        return outcome
      }
    } onCancel: {
      alarm.ring(.success(.cancelled))
    }
  }

  private static func ring(
    _ alarm: RetryAlarm, isolation: isolated (any Actor)?, after delay: Duration, by delayer: any OperationDelayer
  ) async {
    do {
      try await delayer.delay(for: delay)
      alarm.ring(.success(.delay))
    } catch {
      alarm.ring(.failure(error))
    }
  }
}

/// Rings once, for whatever comes first; one task waits for it.
private final class RetryAlarm: Sendable {
  typealias Outcome = Result<RetryWakeCause, any Error>

  private enum State {
    case quiet
    case awaited(CheckedContinuation<Outcome, Never>)
    case rung(Outcome)
  }

  private let state = Mutex(State.quiet)

  /// Ends the wait, unless it has ended. From any thread.
  func ring(_ outcome: Outcome) {
    let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
      switch state {
      case .quiet:
        state = .rung(outcome)
        return nil
      case .awaited(let continuation):
        state = .rung(outcome)
        return continuation
      case .rung:
        return nil
      }
    }
    waiting?.resume(returning: outcome)
  }

  /// What rang first.
  func rung(isolation: isolated (any Actor)?) async -> Outcome {
    await withCheckedContinuation(isolation: isolation) { continuation in
      let outcome: Outcome? = state.withLock { state in
        if case .rung(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
