/// A store whose state type is not known: the common interface of all stores.
///
/// Only ``OperationStore`` conforms; cast to it if the type is known.
public protocol AnyOperationStore: AnyObject, Sendable {
  /// The path of the operation.
  var path: OperationPath { get }
  /// The context of the operation's runs.
  var context: OperationContext { get set }
  /// The number of subscriptions.
  var subscriberCount: Int { get }
  /// Whether the value should be refreshed.
  var isStale: Bool { get }
  /// Whether the operation may run automatically.
  var isAutomaticRunningEnabled: Bool { get }
  /// The state, type-erased.
  var anyState: any OperationState { get }
  /// Resets to the initial state and cancels all runs.
  func resetState(using context: OperationContext?)
}

extension AnyOperationStore {
  /// Resets to the initial state and cancels all runs.
  public func resetState() { resetState(using: nil) }
}

extension OperationStore: AnyOperationStore {
  /// The state, type-erased.
  public var anyState: any OperationState { state }
}

/// A store as seen by the client that creates it.
protocol ControllableStore: AnyObject, Sendable {
  func attachControllers()
}

extension OperationStore: ControllableStore {}
