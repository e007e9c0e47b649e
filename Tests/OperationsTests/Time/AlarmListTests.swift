import OperationsTesting
import Testing

@testable import Operations

@Suite("Alarms")
struct AlarmListTests {
  private let clock = TestClock()
  private let rung = Log<String>()

  private func alarms() -> AlarmList { AlarmList(clock: clock, delayer: clock) }

  private func ring(_ name: String) -> @Sendable () -> Void {
    { [rung] in rung.append(name) }
  }

  @Test("Alarms ring when they are due, in order, and share one sleep")
  func order() async {
    let alarms = alarms()
    let subscriptions = [
      alarms.add(after: .seconds(3), ring("last")), alarms.add(after: .seconds(1), ring("first")),
      alarms.add(after: .seconds(2), ring("second")), alarms.add(after: .seconds(2), ring("third")),
    ]
    await sleeps(for: .seconds(1), .seconds(3))
    clock.advance(by: .seconds(1))
    await rung.reaches(1)
    await sleeps(for: .seconds(1), .seconds(2))
    clock.advance(by: .seconds(1))
    await rung.reaches(3)
    await sleeps(for: .seconds(1))
    clock.advance(by: .seconds(1))
    await rung.reaches(4)
    #expect(rung.elements == ["first", "second", "third", "last"])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("Overdue alarms ring together, earliest first")
  func overdue() async {
    let alarms = alarms()
    let late = alarms.add(after: .seconds(20), ring("late"))
    let subscriptions = [
      alarms.add(after: .seconds(2), ring("second")), alarms.add(after: .seconds(1), ring("first")),
    ]
    await sleeps(for: .seconds(1), .seconds(2), .seconds(20))
    clock.advance(by: .seconds(10))
    await rung.reaches(2)
    await sleeps(for: .seconds(10))
    #expect(rung.elements == ["first", "second"])
    withExtendedLifetime((late, subscriptions)) {}
  }

  @Test("A cancelled alarm does not ring, and nothing sleeps after the last one is cancelled")
  func cancelled() async {
    let alarms = alarms()
    let kept = alarms.add(after: .seconds(2), ring("kept"))
    alarms.add(after: .seconds(1), ring("cancelled")).cancel()
    await sleeps(for: .seconds(1), .seconds(2))
    clock.advance(by: .seconds(1))
    await sleeps(for: .seconds(1))
    #expect(rung.elements == [])
    kept.cancel()
    await clock.hasNoDelays()
    clock.advance(by: .seconds(10))
    let after = alarms.add(after: .zero, ring("after"))
    await rung.reaches(1)
    #expect(rung.elements == ["after"])
    withExtendedLifetime(after) {}
  }

  @Test("While one alarm is far away, earlier ones leave no sleeps behind")
  func farAway() async {
    let alarms = alarms()
    let far = alarms.add(after: .seconds(3600), ring("far"))
    for number in 1...10 {
      let near = alarms.add(after: .seconds(1), ring("near"))
      await sleeps(for: .seconds(1), .seconds(3601 - number))
      clock.advance(by: .seconds(1))
      await rung.reaches(number)
      withExtendedLifetime(near) {}
    }
    await sleeps(for: .seconds(3590))
    far.cancel()
    await clock.hasNoDelays()
  }

  @Test("An alarm may add and cancel alarms")
  func nested() async {
    let alarms = alarms()
    let other = alarms.add(after: .seconds(2), ring("cancelled"))
    let added = Log<OperationSubscription>()
    let first = alarms.add(after: .seconds(1)) { [rung] in
      other.cancel()
      added.append(alarms.add(after: .seconds(5)) { rung.append("added") })
    }
    await sleeps(for: .seconds(1), .seconds(2))
    clock.advance(by: .seconds(1))
    await sleeps(for: .seconds(5))
    clock.advance(by: .seconds(5))
    await rung.reaches(1)
    #expect(rung.elements == ["added"])
    withExtendedLifetime(first) {}
  }

  /// Waits until exactly these sleeps are pending, the first to end first.
  ///
  /// All of them must have started, since the duration of a sleep is computed before it starts: if time passed in between, it would end late.
  private func sleeps(for durations: Duration...) async {
    while clock.remainingDelays != durations { await Task.yield() }
  }
}

extension TestClock {
  fileprivate func hasNoDelays() async {
    while delayCount > 0 { await Task.yield() }
  }
}

extension Log {
  /// Waits until there are `count` elements.
  fileprivate func reaches(_ count: Int) async {
    while self.count < count { await Task.yield() }
  }
}
