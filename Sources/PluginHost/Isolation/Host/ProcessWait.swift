import Values

/// How long an instance has waited for its process, and who wants to know when it does not any more.
///
/// Invariant: where `start` is nil, nobody is in `waiters`.
struct ProcessWait {
  private var before = Duration.zero
  /// When the wait began that goes on, in the clock's monotonic nanoseconds.
  private var start: Int64?
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// The instance waits from now on, or does not.
  mutating func note(_ isWaiting: Bool, at clock: any PluginClock) {
    if isWaiting {
      if start == nil { start = clock.monotonic() }
      return
    }
    guard let start else { return }
    before += .nanoseconds(clock.monotonic() - start)
    self.start = nil
    // Resumed here, a continuation only makes its task ready to run.
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// All of it until now.
  func total(at clock: any PluginClock) -> Duration {
    before + (start.map { .nanoseconds(clock.monotonic() - $0) } ?? .zero)
  }

  /// Resumes `waiter` when the wait is over; now where there is none.
  mutating func whenOver(_ waiter: CheckedContinuation<Void, Never>) {
    if start == nil { waiter.resume() } else { waiters.append(waiter) }
  }
}
