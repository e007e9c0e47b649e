extension MutationRequest {
  /// Keeps the newest `length` attempts in the state's history, at least 1; nil keeps all. An attempt that is dropped
  /// while it runs goes on, but its result is ignored.
  public func maxHistory(length: Int?) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationMaxHistory = length }
  }
}
