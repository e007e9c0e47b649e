/// Hands the events of a store to a handler that came with the request.
private struct EventController<State: OperationState>: OperationController {
  let handler: OperationEventHandler<State>

  func control(with controls: OperationControls<State>) -> OperationSubscription {
    controls.observe(with: handler)
  }
}

extension StatefulOperationRequest {
  /// Tells `handler` of all events in all stores of this request, before those who subscribe to them. It does not count
  /// as a subscriber, and is not told of the state that a store begins with.
  public func handleEvents(
    with handler: OperationEventHandler<State>
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    controlled(by: EventController(handler: handler))
  }
}
