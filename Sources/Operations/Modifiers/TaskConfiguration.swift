extension OperationRequest {
  /// Sets the name, priority and executor of the tasks of a store's runs.
  public func taskConfiguration(
    _ configuration: OperationTaskConfiguration
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationTaskConfiguration = configuration }
  }

  /// Changes the configuration of the tasks of a store's runs, after modifiers further outside have set it.
  public func taskConfiguration(
    _ change: @escaping @Sendable (inout OperationTaskConfiguration) -> Void
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { context in
      var configuration = context.operationTaskConfiguration ?? OperationTaskConfiguration()
      change(&configuration)
      context.operationTaskConfiguration = configuration
    }
  }
}
