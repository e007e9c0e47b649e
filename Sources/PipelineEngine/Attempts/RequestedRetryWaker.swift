import Operations

/// Ends the wait for a retry early when a person requests it, whatever the retry waits for.
struct RequestedRetryWaker: RetryWaker {
  let run: LoopBound<Run>
  let ordinal: Int

  var name: String { "wake" }
  var endsHintedWaits: Bool { true }

  /// *On the event loop.*
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    run.value.waits.retries[ordinal] = onWake
    return OperationSubscription { [run, ordinal] in run.value.waits.retries[ordinal] = nil }
  }
}
