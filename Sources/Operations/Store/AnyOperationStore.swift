/// A store whose type of state is not known: what all stores have in common.
///
/// Only ``OperationStore`` conforms; cast to it where the type is known.
public protocol AnyOperationStore: AnyObject, Sendable {
  /// What the operation is called among others.
  var path: OperationPath { get }
  /// What the operation finds in its runs.
  var context: OperationContext { get set }
  /// How many subscriptions there are.
  var subscriberCount: Int { get }
  /// Whether the value should be brought up to date.
  var isStale: Bool { get }
  /// Whether the operation may run without being asked to.
  var isAutomaticRunningEnabled: Bool { get }
  /// The state, of a type that is not known.
  var anyState: any OperationState { get }
  /// Goes back to the initial state and cancels all runs.
  func resetState(using context: OperationContext?)
}

extension AnyOperationStore {
  /// Goes back to the initial state and cancels all runs.
  public func resetState() { resetState(using: nil) }
}

extension OperationStore: AnyOperationStore {
  /// The state, without its type.
  public var anyState: any OperationState { state }
}

/// A store as the client sees it that makes it.
protocol ControllableStore: AnyObject, Sendable {
  func attachControllers()
}

extension OperationStore: ControllableStore {}
