/// Lets time pass for operations, so that tests need not wait and an engine can use timers of its own.
public protocol OperationDelayer: Sendable {
  /// Returns once `duration` has passed; at once when it is zero or negative.
  ///
  /// Runs on the caller's actor. When the task is cancelled it must end at once by throwing `CancellationError`. Any
  /// other error means that the time could not be kept, and ends the operation that asked for it.
  nonisolated(nonsending) func delay(for duration: Duration) async throws

  /// Calls `body` once `duration` has passed, on any thread, unless the returned subscription has ended by then. Where both
  /// happen at the same time, `body` may still be called after the end.
  ///
  /// For waits that have to be cheap, because there may be thousands of them: they need no task of their own. `body` has to return soon.
  ///
  /// - Returns: nil, as by default, where the delayer has no such thing; whoever asks then waits by ``delay(for:)``.
  func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription?
}

extension OperationDelayer {
  /// None.
  public func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription? { nil }
}

/// Sleeps by the standard library's `ContinuousClock`.
public struct ContinuousDelayer: OperationDelayer {
  /// How late a sleep may end so that the system can wake up less often; nil leaves it to the system.
  public var tolerance: Duration?

  /// A delayer that may be late by `tolerance`.
  public init(tolerance: Duration? = nil) {
    self.tolerance = tolerance
  }

  /// Sleeps until `duration` has passed, also while the machine is asleep.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try await ContinuousClock().sleep(for: duration, tolerance: tolerance)
  }

  /// An alarm that shares one sleep with all others; none where there is a tolerance.
  public func alarm(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> OperationSubscription? {
    tolerance == nil ? AlarmList.continuous.add(after: duration, body) : nil
  }
}

extension OperationDelayer where Self == ContinuousDelayer {
  /// Sleeps by the standard library's `ContinuousClock`.
  public static var continuous: ContinuousDelayer { ContinuousDelayer() }
}
