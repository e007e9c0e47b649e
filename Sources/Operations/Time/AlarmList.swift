import Synchronization

/// Alarms that share one sleeping task: each waiting alarm costs an entry in a list rather than a task.
///
/// Alarms ring in the order in which they are due, on the sleeping task and one after the other, so their closures must
/// return quickly. An alarm that is cancelled while others ring may still ring.
final class AlarmList: Sendable {
  /// The list that uses the standard library's `ContinuousClock`.
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

  /// Invariant: while there are alarms, there is a sleeper that wakes up no later than the first one is due.
  private struct State {
    /// In the order of `due` and, for equal times, of `number`.
    var alarms: [Alarm] = []
    var lastNumber: UInt64 = 0
    /// The one that wakes up first is last. A sleeper that turns out to sleep too long is left alone: the runtime keeps
    /// the timer of a cancelled sleep until its time comes anyway.
    var sleepers: [Sleeper] = []

    /// Returns the index of the alarm, or the index at which it would be inserted.
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

  /// Creates an empty list. `delayer` must fail only if it is cancelled.
  init(clock: any OperationClock, delayer: any OperationDelayer) {
    self.clock = clock
    self.delayer = delayer
  }

  /// Calls `ring` after `delay`, unless the subscription ends first.
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
    // The removed alarm is released here, after the lock.
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
    // High priority, so that waking others up does not have to wait for them.
    let task = Task(priority: .high) { [self] in
      do {
        try await delayer.delay(for: due - clock.monotonic())
      } catch {
        // Nothing is waiting any more.
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
