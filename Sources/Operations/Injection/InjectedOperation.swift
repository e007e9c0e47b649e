/// An operation that first runs another one, its dependency, and builds its requirement from the outcome. See
/// ``RequirementOperation``.
///
/// The dependency and the dependent each set up their own copy of the context: what one sets (a clock, a backoff) does
/// not affect the other, and a retry around both does not change their own retries.
public struct InjectedOperation<Dependency: OperationRequest, Dependent: RequirementOperation>: OperationRequest {
  /// Builds the requirement from an outcome that the request allows. Throws the failure of the dependent.
  typealias Injection = @Sendable (DependencyOutcome<Dependency.Value>) throws -> Dependent.Requirement

  /// The operation that runs first.
  public let dependency: Dependency
  /// The operation that gets the requirement.
  public let dependent: Dependent
  /// What the dependent needs from the dependency.
  public let request: InjectionRequest
  private let injection: Injection

  init(dependency: Dependency, dependent: Dependent, request: InjectionRequest, injection: @escaping Injection) {
    self.dependency = dependency
    self.dependent = dependent
    self.request = request
    self.injection = injection
  }

  /// Runs the dependency, and then the dependent as decided by ``InjectionTable``.
  ///
  /// Throws ``InjectionError`` if the dependent is cancelled, ``OperationSkippedError`` if it is skipped,
  /// `CancellationError` if the task was cancelled meanwhile, and any error of a transform or of the dependent.
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
