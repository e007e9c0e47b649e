extension OperationContext {
  enum AutomaticRunningKey: Key {
    static let defaultValue: any OperationRunSpecification = AlwaysRunSpecification(isSatisfied: false)
  }

  /// When an operation may run automatically, started by a new subscriber or a controller. Never by default.
  public var operationAutomaticRunningSpecification: any OperationRunSpecification {
    get { self[AutomaticRunningKey.self] }
    set { self[AutomaticRunningKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Allows the operation to run automatically, but only while `specification` is satisfied.
  ///
  /// When it runs is decided by ``rerunOnChange(of:)``, by other controllers and by the first subscriber.
  public func enableAutomaticRunning(
    onlyWhen specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationAutomaticRunningSpecification = specification }
  }

  /// Prevents the operation from running automatically; with false, always allows it.
  public func disableAutomaticRunning(
    _ isDisabled: Bool = true
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    enableAutomaticRunning(onlyWhen: .always(!isDisabled))
  }
}
