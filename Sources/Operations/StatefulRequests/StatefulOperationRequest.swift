/// A request whose results form a state, which is held by an ``OperationStore``.
///
/// Write one as a ``QueryRequest``, a ``MutationRequest`` or a ``PaginatedRequest``, which provide the state.
public protocol StatefulOperationRequest<State>: OperationRequest where Value: Sendable {
  /// The state of the operation.
  associatedtype State: OperationState where State.OperationValue == Value, State.Failure == Failure

  /// The path that identifies the operation: a client has one store per path.
  ///
  /// By default, the request itself if it is `Hashable`, otherwise its `id` if it is `Identifiable`.
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
  /// The state of the wrapped request.
  public typealias State = Operation.State

  /// The path of the wrapped request: a modified request is the same operation.
  public var path: OperationPath { operation.path }
}
