/// Receives the events of a store: changes of the state, and the starts, results and ends of runs.
///
/// The events of one run arrive in this order:
///
/// 1. the state, which is now loading
/// 2. the run started
/// 3. for each intermediate result: the result, then the state
/// 4. the final result
/// 5. the run ended
/// 6. the state with the result
///
/// The handlers of a store are called one after the other, in the order of subscription and without a lock held: they
/// may use the store in any way, and subscribe and cancel. The resulting events are delivered after all handlers have
/// received this one. While a thread is calling handlers, it also delivers the events of other threads.
public struct OperationEventHandler<State: OperationState>: Sendable {
  /// Receives the state after each change.
  public var onStateChanged: (@Sendable (State, OperationContext) -> Void)?
  /// Receives the context of a run that starts.
  public var onRunStarted: (@Sendable (OperationContext) -> Void)?
  /// Receives the context of a run that has ended.
  public var onRunEnded: (@Sendable (OperationContext) -> Void)?
  /// Receives the results of runs. The context's `operationResultUpdateReason` distinguishes intermediate from final ones.
  public var onResultReceived: (@Sendable (Result<State.OperationValue, State.Failure>, OperationContext) -> Void)?

  /// Creates a handler of any of the events.
  public init(
    onStateChanged: (@Sendable (State, OperationContext) -> Void)? = nil,
    onRunStarted: (@Sendable (OperationContext) -> Void)? = nil,
    onRunEnded: (@Sendable (OperationContext) -> Void)? = nil,
    onResultReceived: (@Sendable (Result<State.OperationValue, State.Failure>, OperationContext) -> Void)? = nil
  ) {
    self.onStateChanged = onStateChanged
    self.onRunStarted = onRunStarted
    self.onRunEnded = onRunEnded
    self.onResultReceived = onResultReceived
  }
}

/// The reason why a result arrives.
public enum OperationResultUpdateReason: Sendable, Hashable {
  /// The run yielded it and continues.
  case yieldedResult
  /// The run ended with it.
  case returnedFinalResult
}

extension OperationContext {
  private enum ResultUpdateReasonKey: Key {
    static let defaultValue: OperationResultUpdateReason? = nil
  }

  /// The reason why the result arrives, in the context of ``OperationEventHandler/onResultReceived``; nil elsewhere.
  public var operationResultUpdateReason: OperationResultUpdateReason? {
    get { self[ResultUpdateReasonKey.self] }
    set { self[ResultUpdateReasonKey.self] = newValue }
  }
}
