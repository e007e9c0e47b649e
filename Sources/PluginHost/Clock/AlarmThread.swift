import CProcess
import Glibc
import OperatingSystem
import Synchronization

/// A thread that sleeps until the earliest of its alarms by one of the system's clocks.
final class AlarmThread: Sendable {
  enum Kind: Sendable {
    /// `CLOCK_REALTIME`: notices when it is set.
    case wall
    /// `CLOCK_BOOTTIME`: goes on while the machine sleeps.
    case monotonic

    var id: clockid_t { self == .wall ? CLOCK_REALTIME : CLOCK_BOOTTIME }
    var threadName: String { self == .wall ? "penstock-timers" : "penstock-delays" }

    func now() -> Int64 {
      var time = timespec()
      clock_gettime(id, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }

  /// Invariant: the timer in the kernel is set to `armed`, which is the earliest instant or earlier, or .max for none.
  private struct State {
    var queue = AlarmQueue()
    var armed = Int64.max
    /// How far the wall clock was ahead of the one that is never set when that was last looked at.
    var offset: Int64 = 0
    var timer: Int32 = -1
    var isRunning = false
    var isStopped = false
  }

  let kind: Kind
  private let state = Mutex(State())

  init(_ kind: Kind) { self.kind = kind }

  /// Calls `body` on the thread when the clock has reached `instant`.
  ///
  /// Where the process has no descriptor or thread left for the first alarm, the next `add` tries again.
  func add(at instant: Int64, _ body: @escaping AlarmQueue.Body) -> PluginAlarm {
    let deadline = kind == .wall ? Self.deadline(of: instant) : .max
    let number = state.withLock { state in
      let number = state.queue.add(at: instant, deadline: deadline, body)
      start(&state)
      if instant < state.armed { arm(&state, instant) }
      return number
    }
    return PluginAlarm { [weak self] in _ = self?.state.withLock { $0.queue.remove(number) } }
  }

  /// When an instant would come if the wall clock were never set.
  private static func deadline(of instant: Int64) -> Int64 {
    Kind.monotonic.now().addingSaturating(instant.subtractingSaturating(Kind.wall.now()))
  }

  private static var offset: Int64 { Kind.wall.now() - Kind.monotonic.now() }

  /// Ends the thread. No alarm is called afterwards, but for one that is being called.
  func stop() {
    let dropped = state.withLock { state in
      defer { state.queue = AlarmQueue() }
      state.isStopped = true
      if state.isRunning { arm(&state, 0) }
      return state.queue
    }
    withExtendedLifetime(dropped) {}
  }

  private func start(_ state: inout State) {
    guard !state.isRunning, !state.isStopped else { return }
    if state.timer < 0 { state.timer = timerfd_create(Int32(kind.id), Int32(TFD_CLOEXEC)) }
    guard state.timer >= 0 else { return }
    do throws(SystemError) {
      try SystemThread.detach(kind.threadName, blocking: .allButFaults) { self.run() }
      state.isRunning = true
      state.armed = .max
      state.offset = Self.offset
    } catch {
      // The next alarm tries again.
    }
  }

  private func run() {
    let timer = state.withLock { $0.timer }
    while true {
      // Ends with ECANCELED when the wall clock was set: what is due is found by looking, and the timer is set anew.
      var expirations: UInt64 = 0
      _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
      if kind == .wall { noticeSetting() }
      while true {
        let now = kind.now()
        guard let body = state.withLock({ $0.isStopped ? nil : $0.queue.popDue(at: now) }) else { break }
        body()
      }
      let isStopped = state.withLock { state in
        if state.isStopped { return true }
        arm(&state, state.queue.next ?? .max)
        return false
      }
      guard !isStopped else { break }
    }
    close(timer)
  }

  /// A clock that is merely slowed down or sped up a little is not worth the while.
  private static let smallestSetting: Int64 = 100_000_000

  private func noticeSetting() {
    let offset = Self.offset
    state.withLock { state in
      guard abs(offset.subtractingSaturating(state.offset)) >= Self.smallestSetting else { return }
      state.offset = offset
      state.queue.clockWasSet(offset: offset)
    }
  }

  /// Sets the timer in the kernel to `instant`; one in the past fires at once.
  private func arm(_ state: inout State, _ instant: Int64) {
    state.armed = instant
    guard state.timer >= 0 else { return }
    var setting = itimerspec()
    if instant != .max {
      // Zero would turn it off.
      let instant = max(instant, 1)
      setting.it_value.tv_sec = Int(instant / 1_000_000_000)
      setting.it_value.tv_nsec = Int(instant % 1_000_000_000)
    } else {
      // Far away, so that a setting of the clock is noticed by a read that waits for nothing else. 2200-01-01.
      setting.it_value.tv_sec = 7_258_118_400
    }
    let flags = kind == .wall ? TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET : TFD_TIMER_ABSTIME
    guard timerfd_settime(state.timer, Int32(flags), &setting, nil) != 0, errno == ECANCELED else { return }
    // The clock was set at this very moment, and no read will tell of it: the thread has to look by itself.
    setting.it_value = timespec(tv_sec: 0, tv_nsec: 1)
    timerfd_settime(state.timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
