/// An operation whose requirement is a value that is known. See ``RequirementOperation/requirement(_:)``.
public struct LiteralInjection<Dependent: RequirementOperation>: OperationRequest
where Dependent.Requirement: Sendable {
  /// The operation that runs.
  public let dependent: Dependent
  /// What it gets.
  public let requirement: Dependent.Requirement

  /// Gives `requirement` to `dependent`.
  @inlinable
  public init(_ dependent: Dependent, requirement: Dependent.Requirement) {
    self.dependent = dependent
    self.requirement = requirement
  }

  /// Lets the operation write into the context.
  @inlinable
  public func setup(context: inout OperationContext) {
    dependent.setup(context: &context)
  }

  /// Runs the operation with the known requirement.
  @inlinable
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Dependent.Value, Dependent.Failure>
  ) async throws(Dependent.Failure) -> Dependent.Value {
    try await dependent.run(isolation: isolation, with: requirement, in: context, with: continuation)
  }
}

extension RequirementOperation where Requirement: Sendable {
  /// Gives the operation a requirement that is known now.
  @inlinable
  public func requirement(_ requirement: Requirement) -> LiteralInjection<Self> {
    LiteralInjection(self, requirement: requirement)
  }
}
