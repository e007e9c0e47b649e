/// Passes the events of a store to a handler that belongs to the request.
private struct EventController<State: OperationState>: OperationController {
  let handler: OperationEventHandler<State>

  func control(with controls: OperationControls<State>) -> OperationSubscription {
    controls.observe(with: handler)
  }
}

extension StatefulOperationRequest {
  /// Notifies `handler` of all events in all stores of this request, before their subscribers. The handler does not
  /// count as a subscriber, and is not notified of a store's initial state.
  public func handleEvents(
    with handler: OperationEventHandler<State>
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    controlled(by: EventController(handler: handler))
  }
}
