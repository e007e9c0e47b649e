/// A request whose results make up a state, which an ``OperationStore`` holds.
///
/// Write one as a ``QueryRequest``, a ``MutationRequest`` or a ``PaginatedRequest``, which bring their states along.
public protocol StatefulOperationRequest<State>: OperationRequest where Value: Sendable {
  /// What is known of the operation.
  associatedtype State: OperationState where State.OperationValue == Value, State.Failure == Failure

  /// What the operation is called among others: a client has one store per path.
  ///
  /// By default the request itself when it is `Hashable`, or else its `id` when it is `Identifiable`.
  var path: OperationPath { get }
}

extension StatefulOperationRequest where Self: Hashable {
  /// The request itself as the only element.
  public var path: OperationPath { OperationPath(self) }
}

extension StatefulOperationRequest where Self: Identifiable, ID: Sendable {
  /// The request's `id` as the only element.
  public var path: OperationPath { OperationPath(id) }
}

extension StatefulOperationRequest where Self: Hashable & Identifiable, ID: Sendable {
  /// The request itself as the only element.
  public var path: OperationPath { OperationPath(self) }
}

extension ModifiedOperation: StatefulOperationRequest
where
  Operation: StatefulOperationRequest, Modifier.Value == Operation.Value, Modifier.Failure == Operation.Failure
{
  /// The state of the request inside.
  public typealias State = Operation.State

  /// The path of the request inside: modifiers do not make another operation of it.
  public var path: OperationPath { operation.path }
}
