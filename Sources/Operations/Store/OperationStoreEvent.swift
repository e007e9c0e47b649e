/// An event of a store, with the handlers that were registered when it happened.
enum OperationStoreEvent<State: OperationState>: Sendable {
  typealias Handlers = HandlerTable<OperationEventHandler<State>>

  case state(State, OperationContext, Handlers.Snapshot)
  case runStarted(OperationContext, Handlers.Snapshot)
  case runEnded(OperationContext, Handlers.Snapshot)
  case result(
    Result<State.OperationValue, State.Failure>, OperationResultUpdateReason, OperationContext, Handlers.Snapshot)
  /// A handler has received all its events and is to be removed.
  case removal(Handlers.ID)

  /// Calls the handlers.
  func deliver() {
    switch self {
    case .state(let state, let context, let handlers):
      handlers.forEach { $0.onStateChanged?(state, context) }
    case .runStarted(let context, let handlers):
      handlers.forEach { $0.onRunStarted?(context) }
    case .runEnded(let context, let handlers):
      handlers.forEach { $0.onRunEnded?(context) }
    case .result(let result, let reason, var context, let handlers):
      context.operationResultUpdateReason = reason
      handlers.forEach { $0.onResultReceived?(result, context) }
    case .removal:
      break
    }
  }
}
