/// What lets the delays of an event loop pass in place of the kernel, for simulations: then nothing that a host waits for depends on real time.
protocol LoopAlarms: Sendable {
  /// Calls `body` once when `delay` has passed, on any thread, and never from within this call.
  ///
  /// - Returns: What takes the call back. It has no effect when the call is or was made.
  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
