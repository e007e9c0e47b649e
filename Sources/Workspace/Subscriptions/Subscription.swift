import Synchronization

/// A running subscription. It ends when it is cancelled, or when nobody holds it any more.
public final class Subscription: Sendable {
  private let end: @Sendable () -> Void

  init(_ subscriber: any Subscriber, feed: ChangeFeed) {
    end = { if subscriber.mark.cancel() { feed.remove(subscriber.mark.number) } }
  }

  /// One that `end` ends, which may be called more than once.
  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    cancel()
  }

  /// Ends it. The handler is not called any more, except that a call which has begun goes on. A handler may cancel itself.
  public func cancel() {
    end()
  }
}

/// What an object has become.
public enum SubscribedObject<Element: Storable>: Sendable {
  /// It has changed to this.
  case updated(Element)
  /// It is gone, and the subscription has ended: another object may get its key.
  case deleted
}

extension SubscribedObject: Equatable where Element: Equatable {}

/// What identifies a subscriber, and whether it still wants to know.
final class SubscriberMark: Sendable {
  /// Counts up in the order of subscription.
  let number: UInt64
  private let cancelled = Atomic<Bool>(false)

  init(number: UInt64) {
    self.number = number
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Returns whether this call has cancelled it.
  func cancel() -> Bool {
    !cancelled.exchange(true, ordering: .acquiringAndReleasing)
  }
}
