/// Receives the requirement that a closure builds. See ``RequirementOperation/inject(from:_:)``.
public struct RequirementBuilder<Requirement> {
  /// The requirement; nil until the closure sets it.
  public var requirement: Requirement?

  init() {}
}

extension RequirementOperation {
  /// Builds the requirement in a closure that receives the result of `dependency`, or the error with which it failed.
  ///
  /// ```swift
  /// mail.inject(from: fetch) { builder, releases, error in
  ///   builder.requirement = releases.map(Mail.digest) ?? Mail.apology(for: error)
  /// }
  /// ```
  ///
  /// - The closure is called if the dependency succeeded or failed. If it was cancelled or skipped, so is this
  ///   operation.
  /// - If it returns without setting a requirement, this operation is cancelled with
  ///   ``InjectionError/dependencyFailed(_:)`` if the dependency failed, otherwise with
  ///   ``InjectionError/requirementNotSatisfied``.
  /// - An error that it throws becomes this operation's failure, unchanged.
  public func inject<Dependency: OperationRequest>(
    from dependency: Dependency,
    _ build: @escaping @Sendable (inout RequirementBuilder<Requirement>, Dependency.Value?, (any Error)?) throws -> Void
  ) -> InjectedOperation<Dependency, Self> {
    let request = InjectionRequest(needsResult: false, handlesFailure: true)
    return InjectedOperation(dependency: dependency, dependent: self, request: request) { outcome in
      var builder = RequirementBuilder<Requirement>()
      if case .succeeded(let result) = outcome {
        try build(&builder, result, nil)
      } else {
        try build(&builder, nil, outcome.error)
      }
      if let requirement = builder.requirement { return requirement }
      throw outcome.error.map { InjectionError.dependencyFailed($0) } ?? InjectionError.requirementNotSatisfied
    }
  }
}
