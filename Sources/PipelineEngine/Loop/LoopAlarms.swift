/// Performs the delays of an event loop instead of the kernel, for simulations in which nothing that a host waits for depends on real time.
protocol LoopAlarms: Sendable {
  /// Calls `body` once when `delay` has passed, on any thread, but never within this call.
  ///
  /// - Returns: A closure that cancels the call. It has no effect if the call is being made or was made.
  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
