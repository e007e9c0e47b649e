/// A request whose missing value reads as a default. See ``StatefulOperationRequest/defaultValue(_:)``.
public struct DefaultStateOperation<Operation: StatefulOperationRequest>: StatefulOperationRequest
where Operation.State: DefaultableOperationState {
  /// The request inside.
  public let operation: Operation
  /// What is shown while there is no value.
  public let defaultValue: Operation.State.DefaultStateValue

  /// The state of the request inside, with the default.
  public typealias State = DefaultOperationState<Operation.State>

  init(operation: Operation, defaultValue: Operation.State.DefaultStateValue) {
    self.operation = operation
    self.defaultValue = defaultValue
  }

  /// The path of the request inside.
  public var path: OperationPath { operation.path }

  /// Lets the request inside write into the context.
  public func setup(context: inout OperationContext) {
    operation.setup(context: &context)
  }

  /// Runs the request inside.
  public func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Operation.Value, Operation.Failure>
  ) async throws(Operation.Failure) -> Operation.Value {
    try await operation.run(isolation: isolation, in: context, with: continuation)
  }
}

extension StatefulOperationRequest where State: DefaultableOperationState {
  /// Lets a missing value read as `value`: the store's value is then not optional.
  ///
  /// The default is only shown, and is no update. What was applied to the request before, such as controllers and
  /// `stale…` predicates, goes on to see the optional value. Two requests with one path and different defaults are the
  /// same operation for a client, whose store has the default of the first.
  public func defaultValue(_ value: State.DefaultStateValue) -> DefaultStateOperation<Self> {
    DefaultStateOperation(operation: self, defaultValue: value)
  }
}
