import CProcess
import Glibc
import RunHistory
import Synchronization
import Values

/// Notices that the wall clock was set: that it has moved on by more, or by less, than the time that has passed.
///
/// The kernel tells of that, so nothing is polled. It tells nothing of an injected clock, and there may be no descriptor left to be told by: those settings are noticed by ``look()``. Any thread.
package final class ClockWatch: Sendable {
  /// A setting of the wall clock.
  package struct Setting: Sendable, Hashable {
    /// By how much it was set forward; negative where it was set back.
    package var change: Duration
    /// What it shows now.
    package var time: RecordTime
  }

  /// Less is not told until it has added up: time services correct clocks all the time.
  package static let leastChange = Duration.seconds(2)
  /// Two readings that are further apart are taken again: the process was stopped between them.
  private static let readingTime = Duration.milliseconds(100)

  /// Invariant: where `token` is there, the loop watches `timer`.
  private struct State {
    /// The wall clock's time when the other one was at zero, when a setting was told last.
    var offset: Duration
    var timer: Int32 = -1
    var token: EventLoop.Token?
  }

  private let time: HostClock
  private let loop: EventLoop
  private let onSetting: @Sendable (Setting) -> Void
  private let state: Mutex<State>

  /// Begins to watch. `onSetting` is called on the loop, or by ``look()``.
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

  // MARK: What the kernel tells, on the loop

  private func begin() {
    let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard timer >= 0 else { return }
    arm(timer)
    let token = try? loop.watch(timer) { [weak self] in self?.wasSet(timer) }
    state.withLock { ($0.timer, $0.token) = (timer, token) }
  }

  private func wasSet(_ timer: Int32) {
    // Ends with ECANCELED: the timer itself is never due.
    var expirations: UInt64 = 0
    _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
    arm(timer)
    look()
  }

  private func arm(_ timer: Int32) {
    var setting = itimerspec()
    // 2200-01-01.
    setting.it_value.tv_sec = 7_258_118_400
    // Fails with ECANCELED where the clock is set at this very moment. The timer is armed all the same, and the clocks are compared after that.
    _ = timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &setting, nil)
  }
}

extension Duration {
  fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
