/// Decides when a store's value should be refreshed: predicates of which at least one must be true.
public struct OperationStaleness: Sendable {
  private struct Predicate: Sendable {
    /// The state type of the predicate.
    let state: any OperationState.Type
    /// Evaluates the predicate; nil for a state of another type.
    let isTrue: @Sendable (any OperationState, OperationContext) -> Bool?
    let isFor: @Sendable (any OperationState) -> Bool
  }

  private var predicates: [Predicate]

  /// Creates a staleness without predicates, which is always true.
  public init() {
    predicates = []
  }

  /// Adds a predicate. A predicate for a state type other than the store's is false, and the store reports a warning when it is created.
  public mutating func add<State: OperationState>(
    _ predicate: @escaping @Sendable (State, OperationContext) -> Bool
  ) {
    let predicate = Predicate(
      state: State.self, isTrue: { state, context in state.unwrapped(to: State.self).map { predicate($0, context) } },
      isFor: { $0.unwrapped(to: State.self) != nil })
    predicates.append(predicate)
  }

  /// Returns whether any of the predicates is true, or there are none.
  public func isStale<State: OperationState>(_ state: State, in context: OperationContext) -> Bool {
    predicates.isEmpty || predicates.contains { $0.isTrue(state, context) ?? false }
  }

  /// Returns the state types of the predicates that do not apply to `state`.
  func mismatches(with state: any OperationState) -> [any OperationState.Type] {
    predicates.filter { !$0.isFor(state) }.map(\.state)
  }
}

extension OperationContext {
  private enum StalenessKey: Key {
    static let defaultValue = OperationStaleness()
  }

  /// When the store's value is stale. Always, by default.
  public var operationStaleness: OperationStaleness {
    get { self[StalenessKey.self] }
    set { self[StalenessKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Makes the state stale if `predicate` is true, in addition to other conditions.
  public func staleWhen(
    predicate: @escaping @Sendable (State, OperationContext) -> Bool
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationStaleness.add(predicate) }
  }

  /// Makes the state stale while `specification` is satisfied, in addition to other conditions.
  public func staleWhen(
    satisfying specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    staleWhen { _, context in specification.isSatisfied(in: context) }
  }

  /// Makes the state stale as long as it has never had a value, in addition to other conditions.
  public func staleWhenNoValue() -> ModifiedOperation<Self, ContextModifier<Self>> {
    staleWhen { state, _ in state.valueUpdateCount == 0 }
  }

  /// Makes the state stale when more than `duration` has passed since its value was last updated, by the operation's clock, in addition to
  /// other conditions. A value from the future, as after the clock was set back, may be of any age and is stale.
  ///
  /// - Parameters:
  ///   - duration: How long a value stays fresh, inclusive.
  ///   - staleWhenNoValue: Whether a state that has never had a value is stale; true by default.
  /// - Returns: The modified request.
  public func stale(
    after duration: Duration, whenNoValue staleWhenNoValue: Bool = true
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    staleWhen { state, context in
      guard let updated = state.valueLastUpdatedAt else { return staleWhenNoValue }
      let age = updated.duration(to: context.operationClock.now())
      return age > duration || age < .zero
    }
  }
}
