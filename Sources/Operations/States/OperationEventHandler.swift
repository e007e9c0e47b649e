/// Is told what happens in a store: of states, and of the beginnings, results and ends of runs.
///
/// The events of one run come in this order:
///
/// 1. the state, which is loading now
/// 2. the run started
/// 3. for each intermediate result: the result, then the state
/// 4. the final result
/// 5. the run ended
/// 6. the state with the result
///
/// All handlers of a store are called one after the other, in the order of their subscription, and under no lock: they
/// may use the store in any way, and subscribe and cancel. What that causes is told when all have heard of this event.
/// While one thread calls handlers, what happens on other threads is told by that thread too.
public struct OperationEventHandler<State: OperationState>: Sendable {
  /// Gets the state after each change.
  public var onStateChanged: (@Sendable (State, OperationContext) -> Void)?
  /// Gets the context of a run that starts.
  public var onRunStarted: (@Sendable (OperationContext) -> Void)?
  /// Gets the context of a run that has ended.
  public var onRunEnded: (@Sendable (OperationContext) -> Void)?
  /// Gets the results of runs. The context's `operationResultUpdateReason` tells intermediate ones from final ones.
  public var onResultReceived: (@Sendable (Result<State.OperationValue, State.Failure>, OperationContext) -> Void)?

  /// A handler of some of the events.
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

/// Why a result arrives.
public enum OperationResultUpdateReason: Sendable, Hashable {
  /// The run yielded it, and goes on.
  case yieldedResult
  /// The run ended with it.
  case returnedFinalResult
}

extension OperationContext {
  private enum ResultUpdateReasonKey: Key {
    static let defaultValue: OperationResultUpdateReason? = nil
  }

  /// Why the result arrives, in the context of ``OperationEventHandler/onResultReceived``; nil elsewhere.
  public var operationResultUpdateReason: OperationResultUpdateReason? {
    get { self[ResultUpdateReasonKey.self] }
    set { self[ResultUpdateReasonKey.self] = newValue }
  }
}
