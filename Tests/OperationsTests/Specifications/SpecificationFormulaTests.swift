import Operations
import OperationsTesting
import Testing

@Suite("Conditions over specifications")
struct SpecificationFormulaTests {
  private let context = OperationContext()
  private let calls = Log<Void>()

  @Test("Not, and, and or follow their truth tables", arguments: [false, true], [false, true])
  func truth(left: Bool, right: Bool) {
    let (a, b) = (TestRunSpecification(left), TestRunSpecification(right))
    #expect((!a).isSatisfied(in: context) == !left)
    #expect((a && b).isSatisfied(in: context) == (left && right))
    #expect((a || b).isSatisfied(in: context) == (left || right))
    #expect((!(a && !b) || b).isSatisfied(in: context) == (!(left && !right) || right))
  }

  /// A fixed value, which may be unknown.
  private struct Fixed: OperationRunSpecification {
    var fixed: Bool?

    func isSatisfied(in context: OperationContext) -> Bool { fixed == true }
    func value(in context: OperationContext) -> Bool? { fixed }
    func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
      OperationSubscription {}
    }
    func description(in context: OperationContext) -> SpecificationDescription {
      let word = fixed.map { "\($0)" } ?? "unknown"
      return SpecificationDescription(formula: word, reason: "it is \(word)", isSatisfied: fixed)
    }
  }

  @Test(
    "An unknown value satisfies neither a specification nor its negation, and decides nothing",
    arguments: [nil, false, true] as [Bool?], [nil, false, true] as [Bool?])
  func unknown(left: Bool?, right: Bool?) {
    let (a, b) = (Fixed(fixed: left), Fixed(fixed: right))
    func check(_ specification: some OperationRunSpecification, _ expected: Bool?) {
      let hidden = AnyOperationRunSpecification(specification.named("it").hold(for: .zero))
      #expect(specification.value(in: context) == expected)
      #expect(specification.isSatisfied(in: context) == (expected == true))
      #expect(specification.description(in: context).value == expected)
      #expect(hidden.value(in: context) == expected)
      #expect(hidden.description(in: context).value == expected)
    }
    let and: Bool? = left == false || right == false ? false : left == nil || right == nil ? nil : true
    let or: Bool? = left == true || right == true ? true : left == nil || right == nil ? nil : false
    check(!a, left.map { !$0 })
    check(!(!a), left)
    check(a && b, and)
    check(a || b, or)
    check(!(a && b), and.map { !$0 })
    check(!(a || b), or.map { !$0 })
  }

  @Test("The reason of an unknown condition is the part that is unknown")
  func unknownReason() {
    let (yes, no, unknown) = (Fixed(fixed: true), Fixed(fixed: false), Fixed())
    #expect((yes && !unknown).description(in: context).description == "true && !unknown: it is unknown")
    #expect((no || unknown).description(in: context).description == "false || unknown: it is unknown")
    #expect((no && unknown).description(in: context).reason == "it is false")
    #expect(
      (!unknown).named("open").description(in: context).description == "open: open is unknown: it is unknown")
  }

  @Test("Always and never have the value of their name, and never change")
  func constants() {
    func value(_ specification: some OperationRunSpecification) -> Bool {
      specification.subscribe(in: context) { calls.append(()) }.cancel()
      return specification.isSatisfied(in: context)
    }
    #expect(value(.always))
    #expect(!value(.never))
    #expect(value(.always(true)))
    #expect(!value(.always(false)))
    #expect(calls.count == 0)
  }

  @Test("Members of the protocol compose without naming a type")
  func implicitMembers() {
    func value(_ specification: some OperationRunSpecification) -> Bool { specification.isSatisfied(in: context) }
    let (network, application) = (MockNetworkObserver(), MockApplicationActivityObserver())
    #expect(value(.connected(to: network) && .applicationIsActive(observer: application)))
    #expect(value(!.connected(to: network) || .applicationIsActive(observer: application)))
    #expect(!value(.named("offline", !ConnectedRunSpecification(to: network))))
    #expect(value(.connected(to: network) && !(.never)))
  }

  @Test("Subscribers are not notified at the time of subscribing, but after a change of either side")
  func changes() {
    let (a, b) = (TestRunSpecification(true), TestRunSpecification(false))
    let subscription = (!a || (b && a)).subscribe(in: context) { calls.append(()) }
    #expect(calls.count == 0)
    b.isSatisfied = true
    #expect(calls.count == 1)
    b.isSatisfied = true
    #expect(calls.count == 1)
    subscription.cancel()
    a.isSatisfied = false
    #expect(calls.count == 1)
    #expect(a.subscriberCount + b.subscriberCount == 0)
  }

  @Test("A subscriber reads the new value in its callback")
  func newValueInside() {
    let (a, b) = (TestRunSpecification(false), TestRunSpecification(true))
    let formula = a && b
    let seen = Log<Bool>()
    let subscription = formula.subscribe(in: context) { seen.append(formula.isSatisfied(in: context)) }
    a.isSatisfied = true
    b.isSatisfied = false
    #expect(seen.elements == [true, false])
    withExtendedLifetime(subscription) {}
  }

  @Test("Subscribers are notified in the order of their subscription")
  func order() {
    let formula = TestRunSpecification(false)
    let order = Log<Int>()
    let subscriptions = (1...5).map { number in (!formula).subscribe(in: context) { order.append(number) } }
    formula.isSatisfied = true
    #expect(order.elements == [1, 2, 3, 4, 5])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("Erasure forwards everything, and is not nested")
  func erasure() {
    let inner = TestRunSpecification(true, name: "inner")
    let outer = AnyOperationRunSpecification(AnyOperationRunSpecification(inner))
    #expect(outer.base is TestRunSpecification)
    #expect(outer.isSatisfied(in: context))
    #expect(outer.description(in: context) == inner.description(in: context))
    let subscription = outer.subscribe(in: context) { calls.append(()) }
    inner.isSatisfied = false
    #expect(calls.count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test("Each change is reported to its subscriber once through ten levels")
  func many() {
    let sources = (0..<100).map { _ in TestRunSpecification(false) }
    func deepen(_ specification: AnyOperationRunSpecification, _ levels: Int) -> AnyOperationRunSpecification {
      levels == 0 ? specification : deepen(AnyOperationRunSpecification(!specification && .always), levels - 1)
    }
    let formulas = sources.map { deepen(AnyOperationRunSpecification($0), 10) }
    let subscriptions = formulas.map { $0.subscribe(in: context) { calls.append(()) } }
    for round in 0..<100 {
      for source in sources { source.isSatisfied = round.isMultiple(of: 2) }
    }
    #expect(calls.count == 10_000)
    withExtendedLifetime(subscriptions) {}
  }
}
