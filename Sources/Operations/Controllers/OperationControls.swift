/// The actions that a controller can perform on a store. See ``OperationController``.
///
/// Refers to the store weakly. If the store no longer exists, everything here does nothing, reports
/// ``OperationWarning/storeGone(_:)``, and returns the store's initial values.
public struct OperationControls<State: OperationState>: Sendable {
  private let target: any OperationControlTarget<State>

  init(_ target: any OperationControlTarget<State>) {
    self.target = target
  }

  /// The path of the operation.
  public var path: OperationPath { target.path }

  /// The context of the store.
  public var context: OperationContext { target.context }

  /// The current state of the store.
  public var state: State { target.state }

  /// Whether the store's value should be refreshed. False if the store no longer exists.
  public var isStale: Bool { target.isStale }

  /// The number of subscriptions of the store.
  public var subscriberCount: Int { target.subscriberCount }

  /// Calls `body` while no other thread can change the store. See ``OperationStore/withExclusiveAccess(_:)``. If the
  /// store no longer exists, `body` is called anyway.
  public func withExclusiveAccess<Value, Failure: Error>(
    _ body: (OperationControls<State>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var result: Result<Value, Failure>?
    target.withExclusiveAccess {
      do throws(Failure) {
        result = .success(try body(self))
      } catch {
        result = .failure(error)
      }
    }
    // The target calls its closure exactly once before it returns, so there always is a result.
    guard let result else { return try body(self) }
    return try result.get()
  }

  /// Sets a value.
  ///
  /// - Parameters:
  ///   - value: The value, in the form that the state holds.
  ///   - context: The context passed to handlers; that of the store by default.
  public func yield(_ value: State.StateValue, using context: OperationContext? = nil) {
    yield(with: .success(value), using: context)
  }

  /// Sets an error and keeps the value.
  public func yield(throwing error: State.Failure, using context: OperationContext? = nil) {
    yield(with: .failure(error), using: context)
  }

  /// Sets a value or an error.
  public func yield(with result: Result<State.StateValue, State.Failure>, using context: OperationContext? = nil) {
    target.setResult(to: result, using: context)
  }

  /// Resets the store to its initial state and cancels its runs.
  public func yieldResetState(using context: OperationContext? = nil) {
    target.resetState(using: context)
  }

  /// Whether the operation can be rerun: automatic running is enabled, the operation needs no input that is missing,
  /// and the store still exists.
  public var canYieldRerun: Bool { target.canYieldRerun }

  /// Reruns the operation and returns its result; nil if ``canYieldRerun`` is false.
  @discardableResult
  public func yieldRerun(with context: OperationContext? = nil) async throws(State.Failure) -> State.OperationValue? {
    guard let task = yieldRerunTask(with: context) else { return nil }
    return try await task.runIfNeeded()
  }

  /// Returns the task of another run, not yet started; nil if ``canYieldRerun`` is false.
  public func yieldRerunTask(
    with context: OperationContext? = nil
  ) -> OperationTask<State.OperationValue, State.Failure>? {
    target.rerunTask(using: context)
  }

  /// Returns the task of another run, not yet started, that ends with the last subscriber; nil if there is no
  /// subscriber or ``canYieldRerun`` is false.
  package func rerunTaskForSubscribers() -> OperationTask<State.OperationValue, State.Failure>? {
    target.rerunTaskForSubscribers()
  }

  /// Notifies `handler` of the store's events without counting as a subscriber.
  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    target.observe(with: handler)
  }
}
