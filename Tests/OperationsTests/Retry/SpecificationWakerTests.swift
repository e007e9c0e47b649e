import Operations
import OperationsTesting
import Testing

@Suite("A specification waker")
struct SpecificationWakerTests {
  private let fired = Log<Void>()

  @Test("fires each time the specification becomes true") func turns() {
    let specification = TestRunSpecification()
    let subscription = SpecificationWaker(specification).subscribe { [fired] in fired.append(()) }
    specification.isSatisfied = true
    #expect(fired.elements.count == 1)
    specification.repeatValue()
    specification.isSatisfied = false
    #expect(fired.elements.count == 1)
    specification.isSatisfied = true
    #expect(fired.elements.count == 2)
    subscription.cancel()
    specification.isSatisfied = false
    specification.isSatisfied = true
    #expect(fired.elements.count == 2)
    #expect(specification.subscriberCount == 0)
  }

  @Test("does not fire if the specification is already true when the wait starts") func alreadyTrue() {
    let specification = TestRunSpecification(true)
    let subscription = SpecificationWaker(specification).subscribe { [fired] in fired.append(()) }
    specification.repeatValue()
    #expect(fired.elements.isEmpty)
    subscription.cancel()
  }

  @Test("is named as given, or else after the specification's condition") func names() {
    let specification = TestRunSpecification(name: "connected")
    #expect(SpecificationWaker(specification).name == "connected")
    #expect(SpecificationWaker(!specification, name: "away").name == "away")
  }

  @Test("ends the backoff of a retry") func backoff() async throws {
    let (delayer, woken) = (ManualDelayer(), Log<RetryWakeCause>())
    let (network, attempts) = (MockNetworkObserver(.disconnected), Log<Int>())
    var context = OperationContext()
    context.operationDelayer = delayer
    context.retryObserver = RetryObserver(onWake: { woken.append($0) })
    let operation = Block<Int> { _ in
      guard attempts.append(0) > 1 else { throw TestError(number: 1) }
      return 7
    }
    let waker = SpecificationWaker(ConnectedRunSpecification(to: network))
    let policy = RetryPolicy(limit: 1, backoff: .constant(.seconds(600)), wakers: [waker])
    let runner = OperationRunner(operation.retry(policy), context: context)
    let value = Task { try await runner.run() }
    _ = await delayer.begins()
    network.send(.connected)
    #expect(try await value.value == 7)
    #expect(woken.elements == [.waker("connected")])
  }

  @Test("fires for a change while it is subscribing") func turnsWhileSubscribing() {
    let base = TestRunSpecification()
    let subscription = SpecificationWaker(TurningSpecification(base: base)).subscribe { [fired] in fired.append(()) }
    #expect(fired.elements.count == 1)
    base.repeatValue()
    #expect(fired.elements.count == 1)
    subscription.cancel()
  }

  /// A specification that becomes true just before it is subscribed to.
  private struct TurningSpecification: OperationRunSpecification {
    let base: TestRunSpecification

    func isSatisfied(in context: OperationContext) -> Bool { base.isSatisfied }

    func subscribe(
      in context: OperationContext, onChange: @escaping @Sendable () -> Void
    ) -> OperationSubscription {
      base.isSatisfied = true
      return base.subscribe(in: context, onChange: onChange)
    }
  }
}
