/// When what a store holds should be brought up to date: predicates, of which one that is true suffices.
public struct OperationStaleness: Sendable {
  private struct Predicate: Sendable {
    /// The type of the states it was made for.
    let state: any OperationState.Type
    /// nil for a state of another type.
    let isTrue: @Sendable (any OperationState, OperationContext) -> Bool?
    let isFor: @Sendable (any OperationState) -> Bool
  }

  private var predicates: [Predicate]

  /// Without predicates everything is always stale.
  public init() {
    predicates = []
  }

  /// Adds a predicate. One for another type of state than the store's is false, and the store warns of it when it is made.
  public mutating func add<State: OperationState>(
    _ predicate: @escaping @Sendable (State, OperationContext) -> Bool
  ) {
    let predicate = Predicate(
      state: State.self, isTrue: { state, context in state.unwrapped(to: State.self).map { predicate($0, context) } },
      isFor: { $0.unwrapped(to: State.self) != nil })
    predicates.append(predicate)
  }

  /// Whether any of the predicates is true, or there are none.
  public func isStale<State: OperationState>(_ state: State, in context: OperationContext) -> Bool {
    predicates.isEmpty || predicates.contains { $0.isTrue(state, context) ?? false }
  }

  /// The types of states that predicates were made for which cannot be asked about `state`.
  func mismatches(with state: any OperationState) -> [any OperationState.Type] {
    predicates.filter { !$0.isFor(state) }.map(\.state)
  }
}

extension OperationContext {
  private enum StalenessKey: Key {
    static let defaultValue = OperationStaleness()
  }

  /// When what the store holds is stale. Always, by default.
  public var operationStaleness: OperationStaleness {
    get { self[StalenessKey.self] }
    set { self[StalenessKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Makes the state stale when `predicate` is true, besides what else makes it stale.
  public func staleWhen(
    predicate: @escaping @Sendable (State, OperationContext) -> Bool
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    context { $0.operationStaleness.add(predicate) }
  }

  /// Makes the state stale while `specification` is satisfied, besides what else makes it stale.
  public func staleWhen(
    satisfying specification: some OperationRunSpecification
  ) -> ModifiedOperation<Self, ContextModifier<Self>> {
    staleWhen { _, context in specification.isSatisfied(in: context) }
  }

  /// Makes the state stale as long as it never got a value, besides what else makes it stale.
  public func staleWhenNoValue() -> ModifiedOperation<Self, ContextModifier<Self>> {
    staleWhen { state, _ in state.valueUpdateCount == 0 }
  }

  /// Makes the state stale when more than `duration` has passed since its value was last updated, by the operation's
  /// clock, besides what else makes it stale. A value from the future, as after the clock was set back, may be of any age and is stale.
  ///
  /// - Parameters:
  ///   - duration: How long a value is good for, exactly this long included.
  ///   - staleWhenNoValue: What holds for a state that never got a value: stale by default.
  /// - Returns: The request with the predicate.
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
