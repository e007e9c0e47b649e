/// An operation that runs another one first, its dependency, and builds its requirement from how that ended. See
/// ``RequirementOperation``.
///
/// Dependency and dependent each get a copy of the context that they set up for themselves: what one chooses (a clock,
/// a backoff) does not reach the other, and a retry around the whole leaves their own retries alone.
public struct InjectedOperation<Dependency: OperationRequest, Dependent: RequirementOperation>: OperationRequest {
  /// Makes the requirement of the outcomes that the request admits. Throws what the dependent shall fail with.
  typealias Injection = @Sendable (DependencyOutcome<Dependency.Value>) throws -> Dependent.Requirement

  /// The operation that runs first.
  public let dependency: Dependency
  /// The operation that gets the requirement.
  public let dependent: Dependent
  /// What the dependent wants of the dependency.
  public let request: InjectionRequest
  private let injection: Injection

  init(dependency: Dependency, dependent: Dependent, request: InjectionRequest, injection: @escaping Injection) {
    self.dependency = dependency
    self.dependent = dependent
    self.request = request
    self.injection = injection
  }

  /// Runs the dependency, and then the dependent as ``InjectionTable`` says.
  ///
  /// Throws ``InjectionError`` when the dependent is cancelled, ``OperationSkippedError`` when it is skipped,
  /// `CancellationError` when the task was cancelled meanwhile, what a transform throws, and otherwise what the
  /// dependent throws.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Dependent.Value, any Error>
  ) async throws -> Dependent.Value {
    var nested = context.forNestedOperation()
    let sharing = nested.beginSharing()
    defer { sharing?.end() }
    let outcome = await outcome(isolation: isolation, in: nested)
    try Task.checkCancellation()
    switch InjectionDecision(outcome, request) {
    case .run, .runWithoutResult: break
    case .cancel(let error): throw error
    case .skip: throw OperationSkippedError()
    }
    let requirement = try injection(outcome)
    dependent.setup(context: &nested)
    return try await dependent.run(
      isolation: isolation, with: requirement, in: nested, with: continuation.narrowed(to: Dependent.Failure.self))
  }

  private func outcome(
    isolation: isolated (any Actor)?, in context: OperationContext
  ) async -> DependencyOutcome<Dependency.Value> {
    var context = context
    dependency.setup(context: &context)
    do {
      return .succeeded(try await dependency.run(isolation: isolation, in: context, with: OperationContinuation()))
    } catch {
      return DependencyOutcome(throwing: error)
    }
  }
}
