/// Decides what a client adds to requests when it makes stores of them. See ``OperationClient``.
public protocol OperationStoreCreator: Sendable {
  /// The context that requests of `kind` are set up with, made of the default context of the client.
  ///
  /// Called once for each change of that and not for each store, so that the stores share what is in it.
  func context(for kind: OperationKind, from defaultContext: OperationContext) -> OperationContext

  /// What a store shall run in the place of `operation`: the same, with modifiers. Called once for each store.
  func modify<Operation: StatefulOperationRequest>(
    _ operation: Operation, of kind: OperationKind
  ) -> any StatefulOperationRequest<Operation.State>
}

/// The kinds of requests that are treated differently by default.
public enum OperationKind: Sendable, Hashable, CaseIterable {
  /// Queries, and requests of other states.
  case query
  /// Mutations.
  case mutation
  /// Paginated requests.
  case pagination

  /// The kind of requests with the state `State`.
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

/// Adds nothing: the stores are like detached ones.
public struct PlainStoreCreator: OperationStoreCreator {
  /// A creator that adds nothing.
  public init() {}

  /// The default context itself.
  public func context(for kind: OperationKind, from defaultContext: OperationContext) -> OperationContext {
    defaultContext
  }

  /// The operation itself.
  public func modify<Operation: StatefulOperationRequest>(
    _ operation: Operation, of kind: OperationKind
  ) -> any StatefulOperationRequest<Operation.State> { operation }
}
