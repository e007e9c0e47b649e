import CProcess
import Glibc
import RunHistory
import Synchronization
import Values

/// Detects that the wall clock was set: that it has advanced by more or less than the time that has passed.
///
/// The kernel reports this, so nothing is polled. It does not report settings of an injected clock, and there may be no descriptor for its reports;
/// those settings are detected by ``look()``. May be used from any thread.
package final class ClockWatch: Sendable {
  /// A change of the wall clock.
  package struct Setting: Sendable, Hashable {
    /// The amount by which it was set forward; negative if it was set back.
    package var change: Duration
    /// The time it shows now.
    package var time: RecordTime
  }

  /// Smaller changes are not reported until they add up to this, because time services correct clocks all the time.
  package static let leastChange = Duration.seconds(2)
  /// If two readings are further apart than this, the process was stopped between them, and they are repeated.
  private static let readingTime = Duration.milliseconds(100)

  /// Invariant: if `token` is not nil, the event loop watches `timer`.
  private struct State {
    /// The difference between the wall clock and the monotonic clock at the last reported change.
    var offset: Duration
    var timer: Int32 = -1
    var token: EventLoop.Token?
  }

  private let time: HostClock
  private let loop: EventLoop
  private let onSetting: @Sendable (Setting) -> Void
  private let state: Mutex<State>

  /// Starts watching. `onSetting` is called on the event loop, or by ``look()``.
  init(_ time: HostClock, on loop: EventLoop, _ onSetting: @escaping @Sendable (Setting) -> Void) {
    self.time = time
    self.loop = loop
    self.onSetting = onSetting
    state = Mutex(State(offset: Self.reading(time).offset))
    loop.reach { [weak self] in self?.begin() }
  }

  deinit {
    let (timer, token) = state.withLock { ($0.timer, $0.token) }
    guard timer >= 0 else { return }
    loop.reach { [loop] in
      if let token { loop.unwatch(token) }
      close(timer)
    }
  }

  /// Compares the clocks.
  package func look() {
    let (offset, now) = Self.reading(time)
    let change = state.withLock { state in
      let change = offset - state.offset
      guard change.magnitude >= Self.leastChange else { return Duration.zero }
      state.offset = offset
      return change
    }
    if change != .zero { onSetting(Setting(change: change, time: now)) }
  }

  private static func reading(_ time: HostClock) -> (offset: Duration, now: RecordTime) {
    while true {
      let before = time.monotonic()
      let now = time.now()
      guard time.monotonic() - before < readingTime else { continue }
      return (.microseconds(now.microseconds) - before, now)
    }
  }

  // MARK: Reports of the kernel, on the event loop

  private func begin() {
    let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard timer >= 0 else { return }
    arm(timer)
    let token = try? loop.watch(timer) { [weak self] in self?.wasSet(timer) }
    state.withLock { ($0.timer, $0.token) = (timer, token) }
  }

  private func wasSet(_ timer: Int32) {
    // Fails with ECANCELED: the timer itself is never due.
    var expirations: UInt64 = 0
    _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
    arm(timer)
    look()
  }

  private func arm(_ timer: Int32) {
    var setting = itimerspec()
    // 2200-01-01.
    setting.it_value.tv_sec = 7_258_118_400
    // Fails with ECANCELED if the clock is set at this very moment. The timer is armed nevertheless, and the clocks are compared after that.
    _ = timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &setting, nil)
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
