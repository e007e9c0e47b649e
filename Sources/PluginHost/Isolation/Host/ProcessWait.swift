import Values

/// The time that an instance has waited for its process, and the callers to resume when it no longer waits.
///
/// Invariant: if `start` is nil, `waiters` is empty.
struct ProcessWait {
  private var before = Duration.zero
  /// The start of the current wait, in the clock's monotonic nanoseconds.
  private var start: Int64?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Notes whether the instance is waiting from now on.
  mutating func note(_ isWaiting: Bool, at clock: any PluginClock) {
    if isWaiting {
      if start == nil { start = clock.monotonic() }
      return
    }
    guard let start else { return }
    before += .nanoseconds(clock.monotonic() - start)
    self.start = nil
    // Resuming a continuation here only makes its task ready to run.
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Returns the total time until now.
  func total(at clock: any PluginClock) -> Duration {
    before + (start.map { .nanoseconds(clock.monotonic() - $0) } ?? .zero)
  }

  /// Resumes `waiter` when the wait is over; at once if there is none.
  mutating func whenOver(_ waiter: CheckedContinuation<Void, Never>) {
    if start == nil { waiter.resume() } else { waiters.append(waiter) }
  }
}
