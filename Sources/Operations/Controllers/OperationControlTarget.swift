/// A store as seen by its controllers, which may know its state under another type (see ``DefaultedState``).
protocol OperationControlTarget<State>: Sendable {
  associatedtype State: OperationState

  var path: OperationPath { get }
  var context: OperationContext { get }
  var state: State { get }
  var isStale: Bool { get }
  var subscriberCount: Int { get }
  var canYieldRerun: Bool { get }

  func withExclusiveAccess(_ body: () -> Void)
  func setResult(to result: Result<State.StateValue, State.Failure>, using context: OperationContext?)
  func resetState(using context: OperationContext?)
  func rerunTask(using context: OperationContext?) -> OperationTask<State.OperationValue, State.Failure>?
  func rerunTaskForSubscribers() -> OperationTask<State.OperationValue, State.Failure>?
  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription
}
