import HeapModule
import Operations
import PluginHost
import RunHistory
import Synchronization

/// A clock that stands still until it is told to go on to what is due next: one for the host, its history, its timers and its plugins.
///
/// What is due is called one after the other on the thread that drives the clock, in the order of its time, then in that in which it was asked for.
final class SimulatedClock: OperationClock, OperationDelayer {
  private struct Alarm: Comparable {
    var due: Int64
    var number: UInt64
    static func < (left: Alarm, right: Alarm) -> Bool { (left.due, left.number) < (right.due, right.number) }
  }

  private struct State {
    var now: Int64
    var alarms = Heap<Alarm>()
    var bodies: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
  }

  private let start: Int64
  private let state: Mutex<State>

  /// A clock that shows `start`, in nanoseconds since 1970.
  init(start: Int64) {
    self.start = start
    state = Mutex(State(now: start))
  }

  /// Nanoseconds since 1970.
  var nanoseconds: Int64 { state.withLock { $0.now } }

  /// Seconds since 1970.
  var seconds: Int64 { nanoseconds / 1_000_000_000 }

  var recordTime: RecordTime { RecordTime(microseconds: nanoseconds / 1000) }

  /// How many calls are waited for.
  var alarmCount: Int { state.withLock { $0.bodies.count } }

  func now() -> Timestamp {
    let now = nanoseconds
    return Timestamp(seconds: now / 1_000_000_000, nanoseconds: now % 1_000_000_000)
  }

  func monotonic() -> Duration { .nanoseconds(nanoseconds - start) }

  // MARK: Driving

  /// When something is due next; nil where nothing is.
  var next: Int64? {
    state.withLock { state in
      while let first = state.alarms.min, state.bodies[first.number] == nil { state.alarms.removeMin() }
      return state.alarms.min?.due
    }
  }

  /// Calls the first of what is due by `end`, at its time. False where nothing is: then it is `end`.
  func step(to end: Int64) -> Bool {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      while let first = state.alarms.min {
        guard let body = state.bodies[first.number] else {
          state.alarms.removeMin()
          continue
        }
        guard first.due <= end else { break }
        state.alarms.removeMin()
        state.bodies[first.number] = nil
        state.now = max(state.now, first.due)
        return body
      }
      state.now = max(state.now, end)
      return nil
    }
    body?()
    return body != nil
  }

  // MARK: Waiting

  /// Calls `body` when it is `due`, in nanoseconds since 1970, on the driving thread. Never from within this call.
  func call(at due: Int64, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.last += 1
      state.alarms.insert(Alarm(due: max(due, state.now), number: state.last))
      state.bodies[state.last] = body
      return state.last
    }
  }

  /// Takes a call back. False where it was made, or is being made.
  @discardableResult
  func cancel(_ number: UInt64) -> Bool {
    state.withLock { state in
      let wasThere = state.bodies.removeValue(forKey: number) != nil
      if state.alarms.count > 256, state.alarms.count > state.bodies.count * 4 {
        state.alarms = Heap(state.alarms.unordered.filter { state.bodies[$0.number] != nil })
      }
      return wasThere
    }
  }

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let wait = Wait()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let due = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        let number = call(at: due.overflow ? .max : due.partialValue) { wait.end() }
        wait.begin(continuation) { [self] in cancel(number) }
      }
    } onCancel: {
      wait.end()
    }
    try Task.checkCancellation()
  }

  /// One delay, which may be ended early.
  private final class Wait: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Void, Never>?
      var cancel: (@Sendable () -> Void)?
      var isOver = false
    }

    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<Void, Never>, cancel: @escaping @Sendable () -> Void) {
      let isOver = state.withLock { state in
        if !state.isOver { (state.continuation, state.cancel) = (continuation, cancel) }
        return state.isOver
      }
      guard isOver else { return }
      cancel()
      continuation.resume()
    }

    func end() {
      let ended = state.withLock { state in
        defer { state = State(isOver: true) }
        return state
      }
      ended.cancel?()
      ended.continuation?.resume()
    }
  }
}

/// The same clock as plugins have it.
struct SimulatedPluginClock: PluginClock {
  let clock: SimulatedClock

  func now() -> Int64 { clock.nanoseconds }
  func monotonic() -> Int64 { clock.monotonic().nanoseconds }

  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let number = clock.call(at: instant, body)
    return PluginAlarm { [clock] in clock.cancel(number) }
  }

  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let due = clock.nanoseconds.addingReportingOverflow(delay.nanoseconds)
    return wake(at: due.overflow ? .max : due.partialValue, body)
  }
}
