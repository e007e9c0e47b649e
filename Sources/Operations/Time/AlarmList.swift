import Synchronization

/// Alarms of which any number share a sleeping task: what waits costs an entry here and not a task each.
///
/// Alarms ring in the order in which they are due, on the sleeping task, and one after the other: what they call must not take long.
/// One that is cancelled while others ring may ring as well.
final class AlarmList: Sendable {
  /// The one on the standard library's `ContinuousClock`.
  static let continuous = AlarmList(clock: SystemOperationClock(), delayer: ContinuousDelayer())

  private struct Alarm {
    let due: Duration
    let number: UInt64
    let ring: @Sendable () -> Void
  }

  private struct Sleeper {
    let due: Duration
    let task: Task<Void, Never>
  }

  /// Invariant: while there are alarms, there is a sleeper that wakes up when the first is due, or earlier.
  private struct State {
    /// In the order of `due` and, of those at one moment, of `number`.
    var alarms: [Alarm] = []
    var lastNumber: UInt64 = 0
    /// The one that wakes up first is the last. One that turns out to sleep too long is let sleep: until its time comes, the runtime keeps the
    /// timer of a sleep that was cancelled.
    var sleepers: [Sleeper] = []

    /// Where the alarm is, or would be.
    func index(of number: UInt64, due: Duration) -> Int {
      var (low, high) = (0, alarms.count)
      while low < high {
        let middle = (low + high) / 2
        if (alarms[middle].due, alarms[middle].number) < (due, number) { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let state = Mutex(State())
  private let clock: any OperationClock
  private let delayer: any OperationDelayer

  /// No alarms yet. `delayer` must fail by cancellation alone.
  init(clock: any OperationClock, delayer: any OperationDelayer) {
    self.clock = clock
    self.delayer = delayer
  }

  /// Calls `ring` after `delay`, unless the subscription ends before.
  func add(after delay: Duration, _ ring: @escaping @Sendable () -> Void) -> OperationSubscription {
    let due = clock.monotonic() + max(delay, .zero)
    let number = state.withLock { state in
      state.lastNumber += 1
      let index = state.index(of: state.lastNumber, due: due)
      state.alarms.insert(Alarm(due: due, number: state.lastNumber, ring: ring), at: index)
      if index == 0 { sleep(until: due, &state) }
      return state.lastNumber
    }
    return OperationSubscription { [self] in remove(number, due: due) }
  }

  private func remove(_ number: UInt64, due: Duration) {
    // What is removed is released here, after the lock.
    _ = state.withLock { state -> Alarm? in
      let index = state.index(of: number, due: due)
      guard index < state.alarms.count, state.alarms[index].number == number else { return nil }
      let alarm = state.alarms.remove(at: index)
      if state.alarms.isEmpty {
        for sleeper in state.sleepers { sleeper.task.cancel() }
        state.sleepers = []
      }
      return alarm
    }
  }

  private func sleep(until due: Duration, _ state: inout State) {
    if let first = state.sleepers.last, first.due <= due { return }
    // What wakes others up is not to wait for them.
    let task = Task(priority: .high) { [self] in
      do {
        try await delayer.delay(for: due - clock.monotonic())
      } catch {
        // Nobody waits any more.
        return
      }
      ring(at: due)
    }
    state.sleepers.append(Sleeper(due: due, task: task))
  }

  private func ring(at moment: Duration) {
    let over = state.withLock { state -> ArraySlice<Alarm> in
      let now = max(clock.monotonic(), moment)
      while let first = state.sleepers.last, first.due <= now { state.sleepers.removeLast() }
      let count = state.index(of: .max, due: now)
      let over = state.alarms.prefix(count)
      state.alarms.removeFirst(count)
      if let next = state.alarms.first { sleep(until: next.due, &state) }
      return over
    }
    for alarm in over { alarm.ring() }
  }
}
