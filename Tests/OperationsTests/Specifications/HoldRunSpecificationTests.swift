import Operations
import OperationsTesting
import Testing

@Suite("Holding a specification against flapping")
struct HoldRunSpecificationTests {
  private let clock = TestClock()
  private let source = TestRunSpecification(false, name: "source")
  private let calls = Log<Bool>()

  private var context: OperationContext { .testing(clock) }

  private func subscribe(
    to specification: some OperationRunSpecification, in context: OperationContext
  ) -> OperationSubscription {
    specification.subscribe(in: context) { [calls] in calls.append(specification.isSatisfied(in: context)) }
  }

  /// Returns once there has been a call for each of the values.
  private func called(_ values: Bool...) async {
    while calls.count < values.count { await Task.yield() }
    #expect(calls.elements == values)
  }

  @Test("It is satisfied once its source has been satisfied for the whole time")
  func holds() async {
    let context = context
    let held = source.hold(for: .seconds(10))
    let subscription = subscribe(to: held, in: context)
    source.isSatisfied = true
    await clock.hasDelays(1)
    clock.advance(by: .seconds(9))
    #expect(!held.isSatisfied(in: context))
    clock.advance(by: .seconds(1))
    #expect(held.isSatisfied(in: context))
    await called(true)
    source.isSatisfied = false
    #expect(!held.isSatisfied(in: context))
    await called(true, false)
    subscription.cancel()
  }

  @Test("An interruption restarts the time, and is not reported if nothing was held")
  func flapping() async {
    let context = context
    let held = source.hold(for: .seconds(10))
    let subscription = subscribe(to: held, in: context)
    for _ in 0..<3 {
      source.isSatisfied = true
      await clock.hasDelays(1)
      clock.advance(by: .seconds(9))
      source.isSatisfied = false
      while clock.delayCount > 0 { await Task.yield() }
    }
    source.isSatisfied = true
    await clock.hasDelays(1)
    #expect(clock.remainingDelays == [.seconds(10)])
    #expect(calls.count == 0)
    clock.advance(by: .seconds(10))
    await called(true)
    subscription.cancel()
  }

  @Test("There is no timer while the source is not satisfied, after the time is over, or without subscribers")
  func timers() async {
    let context = context
    let held = source.hold(for: .seconds(10))
    #expect(!held.isSatisfied(in: context))
    #expect(source.subscriberCount == 0)
    let subscription = subscribe(to: held, in: context)
    #expect(source.subscriberCount == 1)
    #expect(clock.delayCount == 0)
    source.isSatisfied = true
    await clock.hasDelays(1)
    clock.advance(by: .seconds(10))
    await called(true)
    #expect(clock.delayCount == 0)
    source.isSatisfied = false
    source.isSatisfied = true
    await clock.hasDelays(1)
    subscription.cancel()
    while clock.delayCount > 0 { await Task.yield() }
    #expect(source.subscriberCount == 0)
  }

  @Test("Repeated notifications of the same value neither restart the time nor start a second timer")
  func repeated() async {
    let context = context
    let held = source.hold(for: .seconds(10))
    let subscription = subscribe(to: held, in: context)
    source.isSatisfied = true
    await clock.hasDelays(1)
    clock.advance(by: .seconds(6))
    source.repeatValue()
    #expect(clock.remainingDelays == [.seconds(4)])
    clock.advance(by: .seconds(4))
    await called(true)
    source.repeatValue()
    #expect(calls.count == 1)
    subscription.cancel()
  }

  @Test("Time before the subscription counts if the source knows it")
  func earlier() async {
    source.set(true, at: clock.now())
    clock.advance(by: .seconds(7))
    let context = context
    let held = source.hold(for: .seconds(10))
    #expect(!held.isSatisfied(in: context))
    let subscription = subscribe(to: held, in: context)
    await clock.hasDelays(1)
    #expect(clock.remainingDelays == [.seconds(3)])
    clock.advance(by: .seconds(3))
    await called(true)
    subscription.cancel()
    #expect(held.isSatisfied(in: context))
  }

  @Test("Without subscribers, time counts from the first evaluation, and a change ends that")
  func asked() {
    let context = context
    source.isSatisfied = true
    let held = source.hold(for: .seconds(10))
    #expect(!held.isSatisfied(in: context))
    clock.advance(by: .seconds(10))
    #expect(held.isSatisfied(in: context))
    #expect(clock.delayCount == 0)
    source.isSatisfied = false
    #expect(source.subscriberCount == 0)
    source.isSatisfied = true
    #expect(!held.isSatisfied(in: context))
    clock.advance(by: .seconds(10))
    #expect(held.isSatisfied(in: context))
  }

  @Test("Without subscribers, a change in the future does not prolong the time, because the clock was set back")
  func setBack() {
    let context = context
    source.set(true, at: clock.now())
    let held = source.hold(for: .seconds(10))
    clock.setWallClock(to: clock.now().advanced(by: .seconds(-3600)))
    #expect(!held.isSatisfied(in: context))
    clock.advance(by: .seconds(10))
    #expect(held.isSatisfied(in: context))
  }

  @Test("Each subscriber is held according to its own context")
  func contexts() async {
    let network = MockNetworkObserver(.requiresConnection, clock: clock)
    let held = ConnectedRunSpecification(to: network).hold(for: .seconds(10))
    let strict = context
    var lenient = context
    lenient.operationSatisfiedConnectionStatus = .requiresConnection
    let first = subscribe(to: held, in: strict)
    let second = held.subscribe(in: lenient) {}
    await clock.hasDelays(1)
    clock.advance(by: .seconds(10))
    network.send(.connected)
    await clock.hasDelays(1)
    while !held.isSatisfied(in: lenient) { await Task.yield() }
    #expect(!held.isSatisfied(in: strict))
    clock.advance(by: .seconds(10))
    await called(true)
    first.cancel()
    second.cancel()
  }

  @Test("A hold of zero duration is equivalent to its source")
  func zero() {
    let context = context
    let held = source.hold(for: .zero)
    let subscription = subscribe(to: held, in: context)
    source.isSatisfied = true
    source.isSatisfied = false
    #expect(calls.elements == [true, false])
    subscription.cancel()
  }

  @Test("It describes what is missing")
  func description() async {
    var context = context
    context.operationTimestampFormat = { "\($0.seconds - 1_000_000_000)" }
    let held = source.hold(for: .seconds(10))
    #expect("\(held.description(in: context))" == "source for 10s: source is false")
    source.set(true, at: clock.now())
    clock.advance(by: .seconds(4))
    #expect("\(held.description(in: context))" == "source for 10s: source is true since 0, not yet for 10s (until 10)")
    clock.advance(by: .seconds(6))
    let description = held.description(in: context)
    #expect("\(description)" == "source for 10s: source is true since 0")
    #expect(description.changedAt == clock.now())
  }

  @Test("A callback may cancel its subscription")
  func cancelInside() async {
    let context = context
    let held = source.hold(for: .seconds(10))
    let subscription = Log<OperationSubscription>()
    subscription.append(
      held.subscribe(in: context) { [calls] in
        calls.append(true)
        subscription.elements.first?.cancel()
      })
    source.isSatisfied = true
    await clock.hasDelays(1)
    clock.advance(by: .seconds(10))
    await called(true)
    source.isSatisfied = false
    #expect(calls.count == 1)
    #expect(source.subscriberCount == 0)
  }

  @Test("With a delayer that fails, the value depends on the clock alone")
  func brokenDelayer() async {
    struct Broken: OperationDelayer {
      let failed: Log<Void>
      nonisolated(nonsending) func delay(for duration: Duration) async throws {
        failed.append(())
        throw TestError()
      }
    }
    var context = context
    let failed = Log<Void>()
    context.operationDelayer = Broken(failed: failed)
    let held = source.hold(for: .seconds(10))
    let subscription = subscribe(to: held, in: context)
    source.isSatisfied = true
    while failed.count == 0 { await Task.yield() }
    clock.advance(by: .seconds(10))
    #expect(held.isSatisfied(in: context))
    #expect(calls.count == 0)
    subscription.cancel()
  }

  @Test("A specification that never changes has been satisfied for any length of time")
  func constant() {
    let context = context
    source.set(true, at: clock.now())
    func holds(_ specification: some OperationRunSpecification) -> Bool {
      let asked = specification.hold(for: .seconds(10)).isSatisfied(in: context)
      let followed = specification.hold(for: .seconds(10))
      let subscription = followed.subscribe(in: context) {}
      #expect(followed.isSatisfied(in: context) == asked)
      subscription.cancel()
      return asked
    }
    let (always, never) = (AlwaysRunSpecification(), AlwaysRunSpecification(isSatisfied: false))
    #expect(holds(always))
    #expect(!holds(never))
    #expect(holds(!never))
    #expect(holds(always.named("constant")))
    #expect(holds(always || source))
    #expect(holds(source || always))
    #expect(holds(always && !never))
    #expect(!holds(always && source))
    clock.advance(by: .seconds(10))
    #expect(holds(always && source))
    #expect(holds(never || source))
  }
}
