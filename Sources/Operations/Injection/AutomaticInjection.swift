extension RequirementOperation {
  /// Uses the result of `dependency` as the requirement.
  public func injectResult<Dependency: OperationRequest>(
    from dependency: Dependency
  ) -> InjectedOperation<Dependency, Self> where Dependency.Value == Requirement {
    injectResult(from: dependency) { $0 }
  }

  /// Uses the result of `dependency` as the requirement; a nil result cancels this operation with
  /// ``InjectionError/requirementNotSatisfied``.
  public func injectResult<Dependency: OperationRequest>(
    from dependency: Dependency
  ) -> InjectedOperation<Dependency, Self> where Dependency.Value == Requirement? {
    injectResult(from: dependency) { result in
      guard let result else { throw InjectionError.requirementNotSatisfied }
      return result
    }
  }

  /// Transforms the result of `dependency` into the requirement. An error that `transform` throws becomes this
  /// operation's failure, unchanged.
  public func injectResult<Dependency: OperationRequest>(
    from dependency: Dependency,
    transform: @escaping @Sendable (Dependency.Value) throws -> Requirement
  ) -> InjectedOperation<Dependency, Self> {
    InjectedOperation(dependency: dependency, dependent: self, request: InjectionRequest()) { outcome in
      guard case .succeeded(let result) = outcome else { throw InjectionError.requirementNotSatisfied }
      return try transform(result)
    }
  }
}
