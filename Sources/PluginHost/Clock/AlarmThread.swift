import CProcess
import Glibc
import OperatingSystem
import Synchronization

/// A thread that sleeps until its earliest alarm is due by one of the system's clocks.
final class AlarmThread: Sendable {
  enum Kind: Sendable {
    /// `CLOCK_REALTIME`: the thread notices when it is set.
    case wall
    /// `CLOCK_BOOTTIME`: continues while the machine sleeps.
    case monotonic

    var id: clockid_t { self == .wall ? CLOCK_REALTIME : CLOCK_BOOTTIME }
    var threadName: String { self == .wall ? "penstock-timers" : "penstock-delays" }

    func now() -> Int64 { SystemClock.nanoseconds(of: id) }
  }

  /// Invariant: the kernel's timer is set to `armed`, which is the earliest instant or earlier, or .max for none.
  private struct State {
    var queue = AlarmQueue()
    var armed = Int64.max
    /// How far the wall clock was ahead of the monotonic one when last checked.
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
  /// If the process has no descriptor or thread left for the first alarm, the next `add` retries.
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

  /// Returns when an instant would come if the wall clock were never set.
  private static func deadline(of instant: Int64) -> Int64 {
    Kind.monotonic.now().addingSaturating(instant.subtractingSaturating(Kind.wall.now()))
  }

  private static var offset: Int64 { Kind.wall.now().subtractingSaturating(Kind.monotonic.now()) }

  /// Stops the thread. No alarm is called afterwards, except one that is being called.
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
      // The next alarm retries.
    }
  }

  private func run() {
    let timer = state.withLock { $0.timer }
    while true {
      // Fails with ECANCELED when the wall clock was set: due alarms are found below, and the timer is rearmed.
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

  /// The smallest change of the clock that counts, in nanoseconds: slewing it does not justify rebuilding the queue.
  private static let smallestSetting: UInt64 = 100_000_000

  private func noticeSetting() {
    let offset = Self.offset
    state.withLock { state in
      guard offset.subtractingSaturating(state.offset).magnitude >= Self.smallestSetting else { return }
      state.offset = offset
      state.queue.clockWasSet(offset: offset)
    }
  }

  /// Sets the kernel's timer to `instant`; one in the past fires at once.
  private func arm(_ state: inout State, _ instant: Int64) {
    state.armed = instant
    guard state.timer >= 0 else { return }
    var setting = itimerspec()
    if instant != .max {
      // Zero would disarm the timer.
      let instant = max(instant, 1)
      setting.it_value.tv_sec = Int(instant / 1_000_000_000)
      setting.it_value.tv_nsec = Int(instant % 1_000_000_000)
    } else {
      // In a century: a distant time, so that the read still returns when the clock is set.
      setting.it_value.tv_sec = Int(kind.now() / 1_000_000_000) + 3_155_760_000
    }
    let flags = kind == .wall ? TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET : TFD_TIMER_ABSTIME
    guard timerfd_settime(state.timer, Int32(flags), &setting, nil) != 0, errno == ECANCELED else { return }
    // The clock was set at this very moment, which no read will report: fire the timer so that the thread checks.
    setting.it_value = timespec(tv_sec: 0, tv_nsec: 1)
    timerfd_settime(state.timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
