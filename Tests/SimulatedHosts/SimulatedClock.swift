import HeapModule
import Operations
import PluginHost
import RunHistory
import Synchronization

@testable import PipelineEngine

/// A clock that stands still until it is advanced to the next due call: one for the host, its history, its timers and its plugins.
///
/// Due calls are made on the thread that drives the clock, in the order of their times, then in the order of the requests.
final class SimulatedClock: OperationClock, LoopAlarms {
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

  /// Creates a clock that shows `start`, in nanoseconds since 1970.
  init(start: Int64) {
    self.start = start
    state = Mutex(State(now: start))
  }

  /// Nanoseconds since 1970.
  var nanoseconds: Int64 { state.withLock { $0.now } }

  /// Seconds since 1970.
  var seconds: Int64 { nanoseconds / 1_000_000_000 }

  var recordTime: RecordTime { RecordTime(microseconds: nanoseconds / 1000) }

  /// The number of waiting calls.
  var alarmCount: Int { state.withLock { $0.bodies.count } }

  func now() -> Timestamp {
    let now = nanoseconds
    return Timestamp(seconds: now / 1_000_000_000, nanoseconds: now % 1_000_000_000)
  }

  func monotonic() -> Duration { .nanoseconds(nanoseconds - start) }

  // MARK: Driving

  /// When the next call is due; nil if there is none.
  var next: Int64? {
    state.withLock { state in
      while let first = state.alarms.min, state.bodies[first.number] == nil { state.alarms.removeMin() }
      return state.alarms.min?.due
    }
  }

  /// Makes the next calls due by `end`, at their time: all calls due at the same time, unless one at a time is requested. Returns false if there are none: the time
  /// is then `end`.
  func step(to end: Int64, oneByOne: Bool) -> Bool {
    let bodies = state.withLock { state -> [@Sendable () -> Void] in
      var bodies: [@Sendable () -> Void] = []
      while let first = state.alarms.min, bodies.isEmpty || (!oneByOne && first.due <= state.now) {
        guard let body = state.bodies[first.number] else {
          state.alarms.removeMin()
          continue
        }
        guard first.due <= end else { break }
        state.alarms.removeMin()
        state.bodies[first.number] = nil
        state.now = max(state.now, first.due)
        bodies.append(body)
      }
      if bodies.isEmpty { state.now = max(state.now, end) }
      return bodies
    }
    for body in bodies { body() }
    return !bodies.isEmpty
  }

  /// Makes the first call due within a period, ahead of its time, which does not change: for hosts that are being dismantled.
  func hurry(within lead: Duration) {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      while let first = state.alarms.min, first.due <= state.now + lead.nanoseconds {
        state.alarms.removeMin()
        if let body = state.bodies.removeValue(forKey: first.number) { return body }
      }
      return nil
    }
    body?()
  }

  // MARK: Waiting

  /// Calls `body` at `due`, in nanoseconds since 1970, on the driving thread. Never from within this call.
  func call(at due: Int64, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    state.withLock { state in
      state.last += 1
      state.alarms.insert(Alarm(due: max(due, state.now), number: state.last))
      state.bodies[state.last] = body
      return state.last
    }
  }

  /// Cancels a call. Returns false if it was made, or is being made.
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

  func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let due = nanoseconds.addingReportingOverflow(max(.zero, delay).nanoseconds)
    let number = call(at: due.overflow ? .max : due.partialValue, body)
    return { [self] in cancel(number) }
  }
}

/// The same clock for plugins.
struct SimulatedPluginClock: PluginClock {
  let clock: SimulatedClock

  func now() -> Int64 { clock.nanoseconds }
  func monotonic() -> Int64 { clock.monotonic().nanoseconds }

  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    let number = clock.call(at: instant, body)
    return PluginAlarm { [clock] in clock.cancel(number) }
  }

  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    PluginAlarm(end: clock.call(after: delay, body))
  }
}
