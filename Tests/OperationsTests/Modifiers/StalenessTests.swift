import Operations
import OperationsTesting
import Testing

@Suite("Staleness")
struct StalenessTests {
  private let query = countingQuery()

  @Test("Without predicates a store is always stale, otherwise if any of them is true")
  func predicates() {
    #expect(OperationStore.detached(query).isStale)
    for (first, second, isStale) in [(false, false, false), (false, true, true), (true, false, true)] {
      let store = OperationStore.detached(query.staleWhen { _, _ in first }.staleWhen { _, _ in second })
      #expect(store.isStale == isStale)
    }
  }

  @Test("A specification makes a store stale while it is satisfied")
  func specification() {
    let specification = TestRunSpecification(false)
    let store = OperationStore.detached(query.staleWhen(satisfying: specification))
    #expect(!store.isStale)
    specification.set(true)
    #expect(store.isStale)
  }

  @Test("A store that never had a value is stale, one that was set to nil is not")
  func noValue() {
    let store = OperationStore.detached(query.staleWhenNoValue())
    #expect(store.isStale)
    store.setResult(to: .failure(TestError()))
    #expect(store.isStale)
    store.currentValue = nil
    #expect(!store.isStale)
  }

  @Test("A value is stale when it is older than the limit, but not at the limit itself", arguments: [true, false])
  func age(whenNoValue: Bool) {
    let time = FakeTime()
    let store = OperationStore.detached(
      query.stale(after: .seconds(10), whenNoValue: whenNoValue), context: .faking(time))
    #expect(store.isStale == whenNoValue)
    store.currentValue = 1
    #expect(!store.isStale)
    time.advance(by: .seconds(10))
    #expect(!store.isStale)
    store.setResult(to: .failure(TestError()))
    time.advance(by: .nanoseconds(1))
    #expect(store.isStale)
  }

  @Test("A value from the future is stale, because the clock was set back")
  func future() {
    let clock = TestClock()
    var context = OperationContext()
    context.operationClock = clock
    let store = OperationStore.detached(query.stale(after: .seconds(10)), context: context)
    store.currentValue = 1
    #expect(!store.isStale)
    clock.setWallClock(to: clock.now().advanced(by: .seconds(-86_400)))
    #expect(store.isStale)
    store.currentValue = 2
    #expect(!store.isStale)
  }

  @Test("A predicate for another state type is false, and the store warns about it once")
  func otherState() {
    let warnings = Log<OperationWarning>()
    var context = OperationContext()
    context.operationWarningHandler = { warnings.append($0) }
    context.operationStaleness.add { (_: MutationState<String, Int, any Error>, _) in true }
    let store = OperationStore.detached(query, context: context)
    #expect(!store.isStale)
    #expect(!store.isStale)
    #expect(warnings.count == 1)
    guard case .stateMismatch(let path, let expected, let found) = warnings.elements.first else {
      Issue.record("no warning of another state")
      return
    }
    #expect(path == store.path)
    #expect(expected.contains("MutationState"))
    #expect(found.contains("QueryState"))
  }
}
