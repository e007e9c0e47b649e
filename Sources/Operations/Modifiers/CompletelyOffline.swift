extension OperationRequest {
  /// Says that the operation needs no network at all: any connection satisfies `.connected(to:)`, and a failure is
  /// final, because no connection that comes back could fix it. A retry of the request's own, further inside, counts
  /// nevertheless. With false, changes nothing.
  public func completelyOffline(_ isOffline: Bool = true) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { context in
      guard isOffline else { return }
      context.operationSatisfiedConnectionStatus = .disconnected
      context.operationMaxRetries = 0
      context.operationBackoff = .none
    }
  }
}
