import Operations
import OperationsTesting
import Testing

@Suite("Application is active")
struct ApplicationIsActiveRunSpecificationTests {
  private let application = MockApplicationActivityObserver()
  private let calls = Log<Bool>()

  @Test("It follows the observer, and does not notify at the time of subscribing")
  func follows() {
    let specification = ApplicationIsActiveRunSpecification(observer: application)
    let subscription = specification.subscribe(in: OperationContext()) {
      calls.append(specification.isSatisfied(in: OperationContext()))
    }
    #expect(calls.count == 0)
    application.send(isActive: false)
    application.send(isActive: false)
    application.send(isActive: true)
    #expect(calls.elements == [false, true])
    subscription.cancel()
    #expect(application.subscriberCount == 0)
  }

  @Test("It is never satisfied if the context disables reruns for it")
  func disabled() async throws {
    let request = Block { [application] context in
      let specification = ApplicationIsActiveRunSpecification(observer: application)
      let subscription = specification.subscribe(in: context) {}
      defer { subscription.cancel() }
      return [specification.isSatisfied(in: context), application.subscriberCount == 1]
    }
    #expect(try await OperationRunner(request).run() == [true, true])
    #expect(try await OperationRunner(request.disableApplicationActiveRerunning()).run() == [false, false])
    #expect(try await OperationRunner(request.disableApplicationActiveRerunning(false)).run() == [true, true])
  }

  @Test("An observer that only supports subscribing is read by subscribing")
  func minimal() {
    struct Minimal: ApplicationActivityObserver {
      let isActive: Bool
      func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
        handler(isActive)
        return .empty
      }
    }
    for isActive in [false, true] {
      let specification = ApplicationIsActiveRunSpecification(observer: Minimal(isActive: isActive))
      #expect(specification.isSatisfied(in: OperationContext()) == isActive)
    }
  }

  @Test("It describes since when it has its value, and that it is switched off")
  func description() {
    let clock = TestClock(now: Timestamp(seconds: 0))
    let application = MockApplicationActivityObserver(clock: clock)
    let specification = ApplicationIsActiveRunSpecification(observer: application)
    #expect("\(specification.description(in: OperationContext()))" == "foreground: foreground is true")
    application.send(isActive: false)
    #expect(
      specification.description(in: OperationContext()).reason == "foreground is false since 1970-01-01T00:00:00Z")
    var context = OperationContext()
    context.isOperationApplicationActiveRerunningEnabled = false
    #expect("\(specification.description(in: context))" == "foreground: foreground is switched off")
  }
}
