extension OperationContext {
  enum AutomaticRunningKey: Key {
    static let defaultValue: any OperationRunSpecification = AlwaysRunSpecification(isSatisfied: false)
  }

  /// When an operation may run without being asked to: because somebody subscribes, or because a controller wants it.
  /// Never by default.
  public var operationAutomaticRunningSpecification: any OperationRunSpecification {
    get { self[AutomaticRunningKey.self] }
    set { self[AutomaticRunningKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Lets the operation run without being asked to, but only while `specification` is satisfied.
  ///
  /// Says nothing of when it does: that is for ``rerunOnChange(of:)``, for other controllers and for the first
  /// subscriber.
  public func enableAutomaticRunning(
    onlyWhen specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationAutomaticRunningSpecification = specification }
  }

  /// Keeps the operation from running without being asked to; with false, lets it always.
  public func disableAutomaticRunning(
    _ isDisabled: Bool = true
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    enableAutomaticRunning(onlyWhen: .always(!isDisabled))
  }
}
