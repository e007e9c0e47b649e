/// Drives a store from outside of its operation: sets values, reports errors, asks for reruns.
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
/// A controller is applied with ``StatefulOperationRequest/controlled(by:)``. It must not keep the store alive, and
/// does not: controls refer to it weakly.
public protocol OperationController<State>: Sendable {
  /// The state of the stores that can be controlled.
  associatedtype State: OperationState

  /// Begins to control a store. Called once for each, when it is made, and under no lock.
  ///
  /// - Returns: What ends the controlling. The store keeps it, and cancels it when it goes itself.
  func control(with controls: OperationControls<State>) -> OperationSubscription
}

extension OperationContext {
  private enum ControllersKey: Key {
    static var defaultValue: [any OperationController] { [] }
  }

  /// What controls a store that is made with this context, in the order of being asked.
  public var operationControllers: [any OperationController] {
    get { self[ControllersKey.self] }
    set { self[ControllersKey.self] = newValue }
  }
}

extension StatefulOperationRequest {
  /// Adds `controller` to those that control the stores of this request.
  public func controlled<Controller: OperationController>(
    by controller: Controller
  ) -> ModifiedOperation<Self, ContextModifier<Self>> where Controller.State == State {
    context { $0.operationControllers.append(controller) }
  }
}
