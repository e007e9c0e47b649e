extension RequirementOperation {
  /// Makes the result of `dependency` the requirement.
  public func injectResult<Dependency: OperationRequest>(
    from dependency: Dependency
  ) -> InjectedOperation<Dependency, Self> where Dependency.Value == Requirement {
    injectResult(from: dependency) { $0 }
  }

  /// Makes the result of `dependency` the requirement; a result of nil cancels this operation with
  /// ``InjectionError/requirementNotSatisfied``.
  public func injectResult<Dependency: OperationRequest>(
    from dependency: Dependency
  ) -> InjectedOperation<Dependency, Self> where Dependency.Value == Requirement? {
    injectResult(from: dependency) { result in
      guard let result else { throw InjectionError.requirementNotSatisfied }
      return result
    }
  }

  /// Makes the requirement of the result of `dependency`. An error that `transform` throws becomes this operation's
  /// failure, as it is.
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
