/// A state whose value may be missing, and can be given a default.
public protocol DefaultableOperationState: OperationState {
  /// The type of a value that is not missing.
  associatedtype DefaultStateValue: Sendable

  /// Returns `value`, or `defaultValue` if it is missing.
  static func value(of value: StateValue, default defaultValue: DefaultStateValue) -> DefaultStateValue

  /// Returns `value` in the form that the state holds.
  static func stateValue(of value: DefaultStateValue) -> StateValue
}

extension QueryState: DefaultableOperationState {
  /// Returns `value`, or `defaultValue` if it is nil.
  public static func value(of value: Value?, default defaultValue: Value) -> Value { value ?? defaultValue }

  /// Returns `value` itself.
  public static func stateValue(of value: Value) -> Value? { value }
}

extension MutationState: DefaultableOperationState {
  /// Returns `value`, or `defaultValue` if it is nil.
  public static func value(of value: Value?, default defaultValue: Value) -> Value { value ?? defaultValue }

  /// Returns `value` itself.
  public static func stateValue(of value: Value) -> Value? { value }
}

/// A state that shows a default in place of a missing value. See ``StatefulOperationRequest/defaultValue(_:)``.
///
/// The default is only shown: it is not an update, and does not make the state less stale.
@dynamicMemberLookup
public struct DefaultOperationState<Base: DefaultableOperationState>: DefaultedState {
  /// The value shown while there is none.
  public let defaultValue: Base.DefaultStateValue
  /// The state without the default.
  public internal(set) var base: Base

  /// Creates a state that shows `defaultValue` in place of a missing value of `base`.
  public init(base: Base, defaultValue: Base.DefaultStateValue) {
    self.base = base
    self.defaultValue = defaultValue
  }

  /// A member of the state without the default.
  public subscript<Member>(dynamicMember member: KeyPath<Base, Member>) -> Member { base[keyPath: member] }

  /// The value, or the default.
  public var currentValue: Base.DefaultStateValue { Base.value(of: base.currentValue, default: defaultValue) }
  /// The initial value, or the default.
  public var initialValue: Base.DefaultStateValue { Base.value(of: base.initialValue, default: defaultValue) }
  /// The number of updates of the value.
  public var valueUpdateCount: Int { base.valueUpdateCount }
  /// The time of the last update of the value.
  public var valueLastUpdatedAt: Timestamp? { base.valueLastUpdatedAt }
  /// Whether a run is in progress.
  public var isLoading: Bool { base.isLoading }
  /// The newest error, unless a value has arrived since.
  public var error: Base.Failure? { base.error }
  /// The number of errors.
  public var errorUpdateCount: Int { base.errorUpdateCount }
  /// The time of the last error.
  public var errorLastUpdatedAt: Timestamp? { base.errorLastUpdatedAt }
  /// Whether the value or the error was updated last.
  public var latestUpdate: OperationStateUpdate { base.latestUpdate }

  /// Returns whether scheduling `task` makes the base drop values.
  public func dropsValues(scheduling task: OperationTask<Base.OperationValue, Base.Failure>) -> Bool {
    base.dropsValues(scheduling: task)
  }

  /// Adds a task that is about to start.
  public mutating func schedule(_ task: OperationTask<Base.OperationValue, Base.Failure>, at time: Timestamp) {
    base.schedule(task, at: time)
  }

  /// Resets to the initial state, and removes and returns all tasks.
  public mutating func reset() -> [OperationTask<Base.OperationValue, Base.Failure>] {
    base.reset()
  }

  /// Applies a value or an error set by a caller.
  public mutating func update(with result: Result<Base.DefaultStateValue, Base.Failure>, at time: Timestamp) {
    base.update(with: result.map { Base.stateValue(of: $0) }, at: time)
  }

  /// Applies the result of an active task.
  public mutating func update(
    with result: Result<Base.OperationValue, Base.Failure>,
    for task: OperationTask<Base.OperationValue, Base.Failure>,
    at time: Timestamp
  ) {
    base.update(with: result, for: task, at: time)
  }

  /// Returns whether `task` is active.
  public func isActive(_ task: OperationTask<Base.OperationValue, Base.Failure>) -> Bool { base.isActive(task) }

  /// Removes a task that has ended.
  public mutating func finish(_ task: OperationTask<Base.OperationValue, Base.Failure>) {
    base.finish(task)
  }

  /// Returns the context for a run without input, as decided by the base.
  public func contextForRerun(_ context: OperationContext) -> OperationContext? { base.contextForRerun(context) }
}

extension DefaultOperationState: QueryOperationState where Base: QueryOperationState {}

extension DefaultOperationState: MutationOperationState where Base: MutationOperationState {
  /// The arguments, which differ between runs.
  public typealias Arguments = Base.Arguments
}
