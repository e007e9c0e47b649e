import Operations
import OperationsTesting
import Testing

@testable import PipelineEngine

@Suite("A renewed condition") struct RenewableSpecificationTests {
  private let first = TestRunSpecification(true)
  private let second = TestRunSpecification(true)
  private let context = OperationContext()

  @Test("reports changes of the new condition only, and none after the subscription has ended") func follows() {
    let condition = RenewableSpecification(AnyOperationRunSpecification(first))
    let log = Log<Bool>()
    let subscription = condition.subscribe(in: context) { [unowned condition, context] in
      log.append(condition.isSatisfied(in: context))
    }
    condition.renew(AnyOperationRunSpecification(second))
    #expect(first.subscriberCount == 0)
    first.isSatisfied = false
    second.isSatisfied = false
    #expect(log.elements == [true, false])
    subscription.cancel()
    #expect(second.subscriberCount == 0)
    condition.renew(AnyOperationRunSpecification(first))
    #expect(first.subscriberCount == 0)
  }
}
