import Operations
import OperationsTesting
import Testing

@testable import PipelineEngine

@Suite("A condition that is renewed") struct RenewableSpecificationTests {
  private let first = TestRunSpecification(true)
  private let second = TestRunSpecification(true)
  private let context = OperationContext()

  private func looks(renewing mayTurnTrue: Bool) -> [Bool] {
    let condition = RenewableSpecification(AnyOperationRunSpecification(first))
    let log = Log<Bool>()
    let subscription = condition.subscribe(in: context) { [unowned condition, context] in
      log.append(condition.isSatisfied(in: context))
    }
    condition.renew(AnyOperationRunSpecification(second), mayTurnTrue: mayTurnTrue)
    subscription.cancel()
    return log.elements
  }

  @Test("turns true once more when it may") func turns() {
    #expect(looks(renewing: true) == [false, true])
  }

  @Test("stays true when it may not turn") func stays() {
    #expect(looks(renewing: false) == [true])
  }

  @Test("follows the new condition alone, and nothing after the subscription has ended") func follows() {
    let condition = RenewableSpecification(AnyOperationRunSpecification(first))
    let log = Log<Bool>()
    let subscription = condition.subscribe(in: context) { [unowned condition, context] in
      log.append(condition.isSatisfied(in: context))
    }
    condition.renew(AnyOperationRunSpecification(second), mayTurnTrue: false)
    #expect(first.subscriberCount == 0)
    first.isSatisfied = false
    second.isSatisfied = false
    #expect(log.elements == [true, false])
    subscription.cancel()
    #expect(second.subscriberCount == 0)
    condition.renew(AnyOperationRunSpecification(first), mayTurnTrue: true)
    #expect(first.subscriberCount == 0)
  }

  @Test("is described as the one before while it is renewed") func description() {
    first.isSatisfied = false
    let condition = RenewableSpecification(AnyOperationRunSpecification(first.named("first")))
    let log = Log<String>()
    let subscription = condition.subscribe(in: context) { [unowned condition, context] in
      log.append(condition.description(in: context).formula)
    }
    condition.renew(AnyOperationRunSpecification(second.named("second")), mayTurnTrue: true)
    subscription.cancel()
    #expect(log.elements == ["first", "second"])
  }
}
