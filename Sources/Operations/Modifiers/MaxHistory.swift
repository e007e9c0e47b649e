extension MutationRequest {
  /// Limits the state's history to the newest `length` attempts, at least 1; nil keeps all. An attempt that is dropped
  /// while it is running continues, but its result is ignored.
  public func maxHistory(length: Int?) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationMaxHistory = length }
  }
}
