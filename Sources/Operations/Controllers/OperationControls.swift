/// What a controller can do with a store. See ``OperationController``.
///
/// Refers to the store weakly. When the store is gone, everything here does nothing, reports
/// ``OperationWarning/storeGone(_:)``, and returns what the store was made with.
public struct OperationControls<State: OperationState>: Sendable {
  private let target: any OperationControlTarget<State>

  init(_ target: any OperationControlTarget<State>) {
    self.target = target
  }

  /// What the operation is called among others.
  public var path: OperationPath { target.path }

  /// The context of the store.
  public var context: OperationContext { target.context }

  /// The state of the store, as of now.
  public var state: State { target.state }

  /// Whether the value of the store should be brought up to date. False when the store is gone.
  public var isStale: Bool { target.isStale }

  /// How many subscriptions the store has.
  public var subscriberCount: Int { target.subscriberCount }

  /// Calls `body` while no other thread can change the store. See ``OperationStore/withExclusiveAccess(_:)``. When the
  /// store is gone, `body` is called nevertheless.
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
    // The target calls its closure once, before it returns.
    guard let result else { return try body(self) }
    return try result.get()
  }

  /// Sets a value.
  ///
  /// - Parameters:
  ///   - value: The value, as the state has it.
  ///   - context: What handlers are told; that of the store by default.
  public func yield(_ value: State.StateValue, using context: OperationContext? = nil) {
    yield(with: .success(value), using: context)
  }

  /// Sets an error, and keeps the value.
  public func yield(throwing error: State.Failure, using context: OperationContext? = nil) {
    yield(with: .failure(error), using: context)
  }

  /// Sets a value or an error.
  public func yield(with result: Result<State.StateValue, State.Failure>, using context: OperationContext? = nil) {
    target.setResult(to: result, using: context)
  }

  /// Takes the store back to its initial state and cancels its runs.
  public func yieldResetState(using context: OperationContext? = nil) {
    target.resetState(using: context)
  }

  /// Whether the operation would be run again: when automatic running is enabled, the operation needs no input that it
  /// does not have, and the store is not gone.
  public var canYieldRerun: Bool { target.canYieldRerun }

  /// Runs the operation again and returns its result; nil when ``canYieldRerun`` is false.
  @discardableResult
  public func yieldRerun(with context: OperationContext? = nil) async throws(State.Failure) -> State.OperationValue? {
    guard let task = yieldRerunTask(with: context) else { return nil }
    return try await task.runIfNeeded()
  }

  /// The task of another run, which has not started; nil when ``canYieldRerun`` is false.
  public func yieldRerunTask(
    with context: OperationContext? = nil
  ) -> OperationTask<State.OperationValue, State.Failure>? {
    target.rerunTask(using: context)
  }

  /// The task of another run, which has not started and ends with the last subscriber; nil when there is none, or when
  /// ``canYieldRerun`` is false.
  package func rerunTaskForSubscribers() -> OperationTask<State.OperationValue, State.Failure>? {
    target.rerunTaskForSubscribers()
  }

  /// Tells `handler` of the store's events without counting as a subscriber.
  func observe(with handler: OperationEventHandler<State>) -> OperationSubscription {
    target.observe(with: handler)
  }
}
