import Operations
import Synchronization
import Testing

@Suite("Operation subscription")
struct OperationSubscriptionTests {
  @Test("The closure runs once, on the first cancel")
  func once() {
    let log = Log<Int>()
    do {
      let subscription = OperationSubscription { log.append(1) }
      subscription.cancel()
      subscription.cancel()
      #expect(log.count == 1)
    }
    #expect(log.count == 1)
  }

  @Test("The closure runs when the subscription is released")
  func dropped() {
    let log = Log<Int>()
    var subscription: OperationSubscription? = OperationSubscription { log.append(1) }
    withExtendedLifetime(subscription) { #expect(log.count == 0) }
    subscription = nil
    #expect(log.count == 1)
  }

  @Test("A subscription may be cancelled from its own closure")
  func reentrant() {
    let log = Log<Int>()
    let holder = Mutex<OperationSubscription?>(nil)
    holder.withLock { slot in
      slot = OperationSubscription {
        log.append(1)
      }
    }
    let own = holder.withLock { $0 }
    let outer = OperationSubscription {
      own?.cancel()
      log.append(2)
    }
    outer.cancel()
    #expect(log.elements == [1, 2])
  }

  @Test("A combination ends its parts in order, and an empty one does nothing")
  func combined() {
    let log = Log<Int>()
    let parts = (1...3).map { n in OperationSubscription { log.append(n) } }
    OperationSubscription.combined(parts).cancel()
    OperationSubscription.empty.cancel()
    #expect(log.elements == [1, 2, 3])
  }
}
