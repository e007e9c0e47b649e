/// An operation whose requirement is a known value. See ``RequirementOperation/requirement(_:)``.
public struct LiteralInjection<Dependent: RequirementOperation>: OperationRequest
where Dependent.Requirement: Sendable {
  /// The operation that runs.
  public let dependent: Dependent
  /// The operation's requirement.
  public let requirement: Dependent.Requirement

  /// Creates an operation that runs `dependent` with `requirement`.
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
  /// Supplies a requirement that is already known.
  @inlinable
  public func requirement(_ requirement: Requirement) -> LiteralInjection<Self> {
    LiteralInjection(self, requirement: requirement)
  }
}
