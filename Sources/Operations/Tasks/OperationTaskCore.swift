/// The object behind an ``OperationTask``: its life cycle and its result.
///
/// Unchecked because the result is written once, before the end, and read only afterwards.
@usableFromInline
class OperationTaskCore<Value: Sendable, Failure: Error>: OperationTaskNode, @unchecked Sendable {
  @usableFromInline typealias Outcome = Result<Value, Failure>

  @exclusivity(unchecked) @usableFromInline var result: Outcome?

  @inlinable
  override init(context: OperationContext) {
    super.init(context: context)
  }

  override var admitsCancellation: Bool { CancellationError() is Failure }

  @inlinable
  final var finishedResult: Outcome? { isFinished ? result : nil }

  /// Starts the work if necessary, and returns its result.
  @usableFromInline
  final nonisolated(nonsending) func outcome() async -> Outcome {
    if await runToEnd(), let result { return result }
    guard let error = CancellationError() as? Failure else {
      preconditionFailure("a waiter left a task whose failure cannot be a cancellation")
    }
    return .failure(error)
  }

  /// Ends the task with `outcome`.
  @inlinable
  final func finish(_ outcome: Outcome) {
    result = outcome
    end()
  }
}
