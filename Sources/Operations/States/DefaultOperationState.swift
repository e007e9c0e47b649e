/// A state whose value may be missing, and can be given a default.
public protocol DefaultableOperationState: OperationState {
  /// The value when it is not missing.
  associatedtype DefaultStateValue: Sendable

  /// `value`, or `defaultValue` where it is missing.
  static func value(of value: StateValue, default defaultValue: DefaultStateValue) -> DefaultStateValue

  /// `value` as the state keeps it.
  static func stateValue(of value: DefaultStateValue) -> StateValue
}

extension QueryState: DefaultableOperationState {
  /// `value`, or `defaultValue` for nil.
  public static func value(of value: Value?, default defaultValue: Value) -> Value { value ?? defaultValue }

  /// `value` itself.
  public static func stateValue(of value: Value) -> Value? { value }
}

extension MutationState: DefaultableOperationState {
  /// `value`, or `defaultValue` for nil.
  public static func value(of value: Value?, default defaultValue: Value) -> Value { value ?? defaultValue }

  /// `value` itself.
  public static func stateValue(of value: Value) -> Value? { value }
}

/// Another state, whose missing value reads as a default. See ``StatefulOperationRequest/defaultValue(_:)``.
///
/// The default is only shown: it is no update, and makes nothing less stale.
@dynamicMemberLookup
public struct DefaultOperationState<Base: DefaultableOperationState>: DefaultedState {
  /// What is shown while there is no value.
  public let defaultValue: Base.DefaultStateValue
  /// The state without the default.
  public internal(set) var base: Base

  /// `base` with `defaultValue` for a missing value.
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
  /// How often the value was updated.
  public var valueUpdateCount: Int { base.valueUpdateCount }
  /// When the value was last updated.
  public var valueLastUpdatedAt: Timestamp? { base.valueLastUpdatedAt }
  /// Whether a run goes on.
  public var isLoading: Bool { base.isLoading }
  /// The newest error, unless a value came after it.
  public var error: Base.Failure? { base.error }
  /// How often an error came.
  public var errorUpdateCount: Int { base.errorUpdateCount }
  /// When an error last came.
  public var errorLastUpdatedAt: Timestamp? { base.errorLastUpdatedAt }
  /// Which of value and error came last.
  public var latestUpdate: OperationStateUpdate { base.latestUpdate }

  /// Whether the state without the default drops something.
  public func dropsValues(scheduling task: OperationTask<Base.OperationValue, Base.Failure>) -> Bool {
    base.dropsValues(scheduling: task)
  }

  /// Takes in a task that is about to start.
  public mutating func schedule(_ task: OperationTask<Base.OperationValue, Base.Failure>, at time: Timestamp) {
    base.schedule(task, at: time)
  }

  /// Goes back to the initial state and forgets all tasks, which are returned.
  public mutating func reset() -> [OperationTask<Base.OperationValue, Base.Failure>] {
    base.reset()
  }

  /// Takes over a value or an error that somebody set.
  public mutating func update(with result: Result<Base.DefaultStateValue, Base.Failure>, at time: Timestamp) {
    base.update(with: result.map { Base.stateValue(of: $0) }, at: time)
  }

  /// Takes over the result of an active task.
  public mutating func update(
    with result: Result<Base.OperationValue, Base.Failure>,
    for task: OperationTask<Base.OperationValue, Base.Failure>,
    at time: Timestamp
  ) {
    base.update(with: result, for: task, at: time)
  }

  /// Whether `task` is active.
  public func isActive(_ task: OperationTask<Base.OperationValue, Base.Failure>) -> Bool { base.isActive(task) }

  /// Forgets a task that has ended.
  public mutating func finish(_ task: OperationTask<Base.OperationValue, Base.Failure>) {
    base.finish(task)
  }

  /// The context for a run without any input, as the state without the default says.
  public func contextForRerun(_ context: OperationContext) -> OperationContext? { base.contextForRerun(context) }
}

extension DefaultOperationState: QueryOperationState where Base: QueryOperationState {}

extension DefaultOperationState: MutationOperationState where Base: MutationOperationState {
  /// What differs from run to run.
  public typealias Arguments = Base.Arguments
}
