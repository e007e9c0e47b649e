import Synchronization

/// A running subscription. It ends when it is cancelled or released.
public final class Subscription: Sendable {
  private let end: @Sendable () -> Void

  init(_ subscriber: any Subscriber, feed: ChangeFeed) {
    end = { if subscriber.mark.cancel() { feed.remove(subscriber.mark.number) } }
  }

  /// Creates a subscription that is ended by `end`, which may be called more than once.
  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    cancel()
  }

  /// Ends the subscription. The handler is not called again, but a call in progress continues. A handler may cancel its own subscription.
  public func cancel() {
    end()
  }
}

/// The change of a subscribed object.
public enum SubscribedObject<Element: Storable>: Sendable {
  /// The object has changed to this value.
  case updated(Element)
  /// The object was deleted, and the subscription has ended: another object may get its key.
  case deleted
}

extension SubscribedObject: Equatable where Element: Equatable {}

/// The identity of a subscriber, and whether it was cancelled.
final class SubscriberMark: Sendable {
  /// Increases in the order of subscription.
  let number: UInt64
  private let cancelled = Atomic<Bool>(false)

  init(number: UInt64) {
    self.number = number
  }

  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Cancels the subscriber. Returns false if it was already cancelled.
  func cancel() -> Bool {
    !cancelled.exchange(true, ordering: .acquiringAndReleasing)
  }
}
