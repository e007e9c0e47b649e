import OperationsTesting
import Synchronization
import Testing

@testable import Operations

@Suite("Handler list")
struct HandlerListTests {
  private let list = HandlerList<Int>()
  private let log = Log<String>()

  private func note(_ name: String) -> OperationSubscription {
    list.subscribe { [log] in log.append("\(name)\($0)") }
  }

  @Test("Handlers are called in the order of their subscription, even if some in between have been removed")
  func order() {
    var subscriptions = (0..<100).map { note("\($0):") }
    for index in stride(from: 98, through: 0, by: -2) { subscriptions[index].cancel() }
    subscriptions.append(note("new:"))
    list.notify(7)
    #expect(log.elements == stride(from: 1, to: 100, by: 2).map { "\($0):7" } + ["new:7"])
    #expect(list.count == 51)
    for subscription in subscriptions { subscription.cancel() }
    #expect(list.count == 0)
  }

  @Test("A handler may cancel itself and others, and a cancelled one is not called by the same notification")
  func cancelInside() {
    let others = Mutex<[OperationSubscription]>([])
    let first = list.subscribe { [log] _ in
      log.append("first")
      let cancelled = others.withLock { $0 }
      for subscription in cancelled { subscription.cancel() }
    }
    let second = note("second")
    let third = note("third")
    others.withLock { $0 = [first, second] }
    list.notify(1)
    list.notify(2)
    #expect(log.elements == ["first", "third1", "third2"])
    withExtendedLifetime(third) {}
  }

  @Test("A handler may subscribe, and the new one is called from the next notification on")
  func subscribeInside() {
    let added = Mutex<[OperationSubscription]>([])
    let first = list.subscribe { [list, log] number in
      log.append("first\(number)")
      let new = list.subscribe { [log] in log.append("added\($0)") }
      added.withLock { $0.append(new) }
    }
    list.notify(1)
    #expect(log.elements == ["first1"])
    first.cancel()
    list.notify(2)
    #expect(log.elements == ["first1", "added2"])
  }

  @Test("A handler may notify again")
  func notifyInside() {
    let first = list.subscribe { [list, log] number in
      log.append("a\(number)")
      if number > 0 { list.notify(number - 1) }
    }
    let second = note("b")
    list.notify(1)
    #expect(log.elements == ["a1", "a0", "b0", "b1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("Cancelling releases what the handler retains, without a lock held")
  func release() {
    final class Held: Sendable {
      let list: HandlerList<Int>
      let log: Log<String>
      init(_ list: HandlerList<Int>, _ log: Log<String>) { (self.list, self.log) = (list, log) }
      deinit { log.append("released, \(list.count) left") }
    }
    let subscription: OperationSubscription = {
      let held = Held(list, log)
      return list.subscribe { _ in withExtendedLifetime(held) {} }
    }()
    subscription.cancel()
    #expect(log.elements == ["released, 0 left"])
  }

  @Test("Subscribing and cancelling on many threads at once loses nothing")
  func threads() async {
    let calls = Atomic(0)
    let kept = list.subscribe { _ in calls.add(1, ordering: .relaxed) }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [list] in
          for number in 0..<500 {
            let subscription = list.subscribe { _ in }
            if number % 10 == 0 { list.notify(number) }
            subscription.cancel()
          }
        }
      }
    }
    #expect(calls.load(ordering: .relaxed) == 8 * 50)
    #expect(list.count == 1)
    kept.cancel()
  }
}
