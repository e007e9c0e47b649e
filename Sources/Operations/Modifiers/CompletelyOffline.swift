extension OperationRequest {
  /// Declares that the operation does not need the network: any connection satisfies `.connected(to:)`, and a failure
  /// is final, because no returning connection could fix it. A retry of the request's own, further inside, still
  /// applies. With false, changes nothing.
  public func completelyOffline(_ isOffline: Bool = true) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { context in
      guard isOffline else { return }
      context.operationSatisfiedConnectionStatus = .disconnected
      context.operationMaxRetries = 0
      context.operationBackoff = .none
    }
  }
}
