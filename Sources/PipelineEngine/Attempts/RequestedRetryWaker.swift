import Operations

/// Brings a waiting retry forward because a person asks for that, whatever it waits for.
struct RequestedRetryWaker: RetryWaker {
  let run: LoopBound<Run>
  let ordinal: Int

  var name: String { "wake" }
  var endsHintedWaits: Bool { true }

  /// *On the loop.*
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    run.value.waits.retries[ordinal] = onWake
    return OperationSubscription { [run, ordinal] in run.value.waits.retries[ordinal] = nil }
  }
}
