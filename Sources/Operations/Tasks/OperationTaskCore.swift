/// What an ``OperationTask`` refers to: its life, and its result when that is over.
///
/// Unchecked because the result is written once, before the end, and read only after it.
class OperationTaskCore<Value: Sendable, Failure: Error>: OperationTaskNode, @unchecked Sendable {
  typealias Outcome = Result<Value, Failure>

  private var result: Outcome?

  override var admitsCancellation: Bool { CancellationError() is Failure }

  var finishedResult: Outcome? { isFinished ? result : nil }

  /// Starts the work if need be, and returns its result.
  nonisolated(nonsending) func outcome() async -> Outcome {
    if await runToEnd(), let result { return result }
    guard let error = CancellationError() as? Failure else {
      preconditionFailure("a waiter left a task whose failure cannot be a cancellation")
    }
    return .failure(error)
  }

  /// Ends the task with `outcome`.
  func finish(_ outcome: Outcome) {
    result = outcome
    end()
  }
}
