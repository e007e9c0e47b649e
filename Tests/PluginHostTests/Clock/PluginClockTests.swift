import Synchronization
import Testing

@testable import PluginHost

@Suite("Clocks for plugins")
struct PluginClockTests {
  @Test("a manual clock calls due alarms in chronological order, each at its time")
  func order() {
    let clock = ManualPluginClock(now: 1000)
    let calls = Mutex<[String]>([])
    for (name, instant) in [("b", Int64(1300)), ("a", 1200), ("c", 1300), ("late", 1401)] {
      _ = clock.wake(at: instant) { calls.withLock { $0.append("\(name) \(clock.now())") } }
    }
    _ = clock.wake(after: .nanoseconds(250)) { calls.withLock { $0.append("delay \(clock.now())") } }
    clock.advance(by: .nanoseconds(400))
    #expect(calls.withLock { $0 } == ["a 1200", "delay 1250", "b 1300", "c 1300"])
    #expect(clock.now() == 1400)
    #expect(clock.monotonic() == 400)
    #expect(clock.nextInstant == 1401)
  }

  @Test("an alarm may set and cancel other alarms")
  func nested() {
    let clock = ManualPluginClock(now: 0)
    let calls = Mutex<[Int64]>([])
    let never = clock.wake(at: 20) { calls.withLock { $0.append(-1) } }
    _ = clock.wake(at: 10) {
      calls.withLock { $0.append(clock.now()) }
      never.cancel()
      _ = clock.wake(at: 15) { calls.withLock { $0.append(clock.now()) } }
    }
    clock.advance(by: .nanoseconds(100))
    #expect(calls.withLock { $0 } == [10, 15])
    #expect(clock.alarmCount == 0)
  }

  @Test("the system's clock wakes for instants and delays, on its own threads")
  func system() async {
    let clock = SystemPluginClock()
    let start = clock.monotonic()
    await withCheckedContinuation { continuation in
      _ = clock.wake(at: clock.now() + 2_000_000) { continuation.resume() }
    }
    await withCheckedContinuation { continuation in
      _ = clock.wake(after: .milliseconds(2)) { continuation.resume() }
    }
    #expect(clock.monotonic() - start >= 4_000_000)
    await withCheckedContinuation { continuation in
      _ = clock.wake(at: 0) { continuation.resume() }
    }
  }

  @Test("an earlier alarm precedes one that is being waited for, and a cancelled one is not called")
  func earlier() async {
    let clock = SystemPluginClock()
    let calls = Mutex<[String]>([])
    let far = clock.wake(after: .seconds(3600)) { calls.withLock { $0.append("far") } }
    let cancelled = clock.wake(after: .milliseconds(1)) { calls.withLock { $0.append("cancelled") } }
    cancelled.cancel()
    await withCheckedContinuation { continuation in
      _ = clock.wake(after: .milliseconds(5)) {
        calls.withLock { $0.append("near") }
        continuation.resume()
      }
    }
    #expect(calls.withLock { $0 }.last == "near")
    far.cancel()
  }

  @Test("after the clock is set back, an alarm keeps its deadline, and after a correction, its instant")
  func deadlines() {
    var queue = AlarmQueue()
    // The wall clock is 1000 ahead of the monotonic one, which is at 0.
    _ = queue.add(at: 1300, deadline: 300) {}
    _ = queue.add(at: 1200, deadline: 200) {}
    queue.clockWasSet(offset: 500)
    #expect(queue.next == 700)
    queue.clockWasSet(offset: 5000)
    #expect(queue.next == 1200)
    queue.clockWasSet(offset: .min)
    #expect(queue.next == .min + 200)
    #expect(queue.popDue(at: .min + 200) != nil)
    #expect(queue.popDue(at: .min + 200) == nil)
    #expect(queue.count == 1)
  }

  @Test("a queue removes cancelled alarms")
  func queue() {
    var queue = AlarmQueue()
    let numbers = (0..<1000).map { queue.add(at: Int64($0)) {} }
    for number in numbers.dropLast() { _ = queue.remove(number) }
    #expect(queue.count == 1)
    #expect(queue.next == 999)
    #expect(queue.popDue(at: 998) == nil)
    #expect(queue.popDue(at: 999) != nil)
    #expect(queue.next == nil)
  }
}
