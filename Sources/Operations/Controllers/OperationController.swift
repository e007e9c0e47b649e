/// Drives a store from outside its operation: sets values, reports errors, requests reruns.
///
/// ```swift
/// struct PriceFeed: OperationController {
///   let feed: Feed
///
///   func control(with controls: OperationControls<QueryState<Double, any Error>>) -> OperationSubscription {
///     feed.subscribe { price in controls.yield(price) }
///   }
/// }
/// ```
///
/// A controller is applied with ``StatefulOperationRequest/controlled(by:)``. It does not keep the store alive: its
/// controls refer to the store weakly.
public protocol OperationController<State>: Sendable {
  /// The state of the stores that can be controlled.
  associatedtype State: OperationState

  /// Starts to control a store. Called once for each store, when it is created, without a lock held.
  ///
  /// - Returns: A subscription that ends the control. The store keeps it, and cancels it when it is released.
  func control(with controls: OperationControls<State>) -> OperationSubscription
}

extension OperationContext {
  private enum ControllersKey: Key {
    static var defaultValue: [any OperationController] { [] }
  }

  /// The controllers of a store that is created with this context, in the order in which they are started.
  public var operationControllers: [any OperationController] {
    get { self[ControllersKey.self] }
    set { self[ControllersKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Adds `controller` to the controllers of the stores of this request.
  public func controlled<Controller: OperationController>(
    by controller: Controller
  ) -> ModifiedOperation<Self, ContextModifier<Self>> where Controller.State == State {
    context { $0.operationControllers.append(controller) }
  }
}
