/// A request whose missing value is replaced by a default. See ``StatefulOperationRequest/defaultValue(_:)``.
public struct DefaultStateOperation<Operation: StatefulOperationRequest>: StatefulOperationRequest
where Operation.State: DefaultableOperationState {
  /// The wrapped request.
  public let operation: Operation
  /// The value shown while there is none.
  public let defaultValue: Operation.State.DefaultStateValue

  /// The state of the wrapped request, with the default.
  public typealias State = DefaultOperationState<Operation.State>

  init(operation: Operation, defaultValue: Operation.State.DefaultStateValue) {
    self.operation = operation
    self.defaultValue = defaultValue
  }

  /// The path of the wrapped request.
  public var path: OperationPath { operation.path }

  /// Lets the wrapped request write into the context.
  public func setup(context: inout OperationContext) {
    operation.setup(context: &context)
  }

  /// Runs the wrapped request.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.run(isolation: isolation, in: context, with: continuation)
  }
}

extension StatefulOperationRequest where State: DefaultableOperationState {
  /// Shows `value` in place of a missing value: the store's value is then not optional.
  ///
  /// The default is only shown, and is not an update. Controllers, `stale…` predicates and other modifiers applied
  /// before this one still see the optional value. For a client, two requests with the same path and different defaults
  /// are the same operation, whose store has the default of the first.
  public func defaultValue(_ value: State.DefaultStateValue) -> DefaultStateOperation<Self> {
    DefaultStateOperation(operation: self, defaultValue: value)
  }
}
