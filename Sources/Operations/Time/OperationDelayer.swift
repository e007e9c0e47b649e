/// Performs the delays of operations, so that tests do not have to wait and an engine can use its own timers.
public protocol OperationDelayer: Sendable {
  /// Returns once `duration` has passed; immediately if it is zero or negative.
  ///
  /// Runs on the caller's actor. If the task is cancelled it must end immediately by throwing `CancellationError`. Any
  /// other error means that the delay failed, and ends the operation that requested it.
  nonisolated(nonsending) func delay(for duration: Duration) async throws

  /// Calls `body` once `duration` has passed, on any thread, unless the returned subscription has ended by then. If both happen at the same
  /// time, `body` may still be called after the end.
  ///
  /// For waits that must be cheap because there may be thousands of them: they need no task of their own. `body` must return quickly.
  ///
  /// - Returns: A subscription, or nil, the default, if the delayer has no alarms; the caller then waits with ``delay(for:)``.
  func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription?
}

extension OperationDelayer {
  /// Returns nil: there are no alarms.
  public func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription? { nil }
}

/// A delayer that sleeps with the standard library's `ContinuousClock`.
public struct ContinuousDelayer: OperationDelayer {
  /// How late a sleep may end so that the system can wake up less often; nil leaves it to the system.
  public var tolerance: Duration?

  /// Creates a delayer whose delays may be late by `tolerance`.
  public init(tolerance: Duration? = nil) {
    self.tolerance = tolerance
  }

  /// Sleeps until `duration` has passed, including time while the computer is asleep.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: duration, tolerance: tolerance)
  }

  /// Returns an alarm that shares one sleep with all others, or nil if there is a tolerance.
  public func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription? {
    tolerance == nil ? AlarmList.continuous.add(after: duration, body) : nil
  }
}

extension OperationDelayer where Self == ContinuousDelayer {
  /// A delayer that sleeps with the standard library's `ContinuousClock`.
  public static var continuous: ContinuousDelayer { ContinuousDelayer() }
}
