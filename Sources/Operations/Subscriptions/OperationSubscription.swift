import Synchronization

/// An activity that continues until it is cancelled, such as the notification of changes.
///
/// The closure given at creation runs at most once: on the first ``cancel()``, or when the last reference to the
/// subscription is released. It is called on the thread that does so, without a lock held, so it may itself subscribe
/// or cancel.
public final class OperationSubscription: Sendable {
  private let onCancel: Mutex<(@Sendable () -> Void)?>

  /// Creates a subscription that is ended by `onCancel`.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = Mutex(onCancel)
  }

  private init() {
    onCancel = Mutex(nil)
  }

  deinit { cancel() }

  /// Ends the subscription. Does nothing if it has already ended.
  public func cancel() {
    let end = onCancel.withLock { closure in
      defer { closure = nil }
      return closure
    }
    end?()
  }

  /// A subscription to nothing.
  public static var empty: OperationSubscription { OperationSubscription() }

  /// Returns a subscription that ends all of `subscriptions`, in order.
  public static func combined(_ subscriptions: [OperationSubscription]) -> OperationSubscription {
    OperationSubscription {
      for subscription in subscriptions { subscription.cancel() }
    }
  }
}
