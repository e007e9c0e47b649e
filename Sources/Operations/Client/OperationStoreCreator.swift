/// Decides what a client adds to requests when it creates stores for them. See ``OperationClient``.
public protocol OperationStoreCreator: Sendable {
  /// Returns the context for setting up requests of `kind`, derived from the client's default context.
  ///
  /// Called once for each change of the default context rather than for each store, so that stores share its contents.
  func context(for kind: OperationKind, from defaultContext: OperationContext) -> OperationContext

  /// Returns the operation that a store runs instead of `operation`: the same one with modifiers. Called once for each store.
  func modify<Operation: StatefulOperationRequest>(
    _ operation: Operation, of kind: OperationKind
  ) -> any StatefulOperationRequest<Operation.State>
}

/// The kinds of requests with different defaults.
public enum OperationKind: Sendable, Hashable, CaseIterable {
  /// Queries, and requests with any other state.
  case query
  /// Mutations.
  case mutation
  /// Paginated requests.
  case pagination

  /// Returns the kind of requests with the state `State`.
  public init<State: OperationState>(of _: State.Type) {
    self =
      if State.self is any MutationOperationState.Type {
        .mutation
      } else if State.self is any PaginationOperationState.Type {
        .pagination
      } else {
        .query
      }
  }
}

/// A creator that adds nothing: its stores are like detached ones.
public struct PlainStoreCreator: OperationStoreCreator {
  /// Creates a creator that adds nothing.
  public init() {}

  /// Returns the default context unchanged.
  public func context(for kind: OperationKind, from defaultContext: OperationContext) -> OperationContext {
    defaultContext
  }

  /// Returns the operation unchanged.
  public func modify<Operation: StatefulOperationRequest>(
    _ operation: Operation, of kind: OperationKind
  ) -> any StatefulOperationRequest<Operation.State> { operation }
}
