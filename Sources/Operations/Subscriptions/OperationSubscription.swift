import Synchronization

/// Something that goes on until it is cancelled, such as being told of changes.
///
/// The closure given at creation runs at most once: on the first ``cancel()``, or when the last reference to the
/// subscription goes. It is called on the thread that does either, and under no lock, so it may itself subscribe or
/// cancel.
public final class OperationSubscription: Sendable {
  private let onCancel: Mutex<(@Sendable () -> Void)?>

  /// A subscription that `onCancel` ends.
  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = Mutex(onCancel)
  }

  private init() {
    onCancel = Mutex(nil)
  }

  deinit { cancel() }

  /// Ends the subscription. Does nothing when it has ended already.
  public func cancel() {
    let end = onCancel.withLock { closure in
      defer { closure = nil }
      return closure
    }
    end?()
  }

  /// A subscription to nothing.
  public static var empty: OperationSubscription { OperationSubscription() }

  /// A subscription that ends all of `subscriptions`, in their order.
  public static func combined(_ subscriptions: [OperationSubscription]) -> OperationSubscription {
    OperationSubscription {
      for subscription in subscriptions { subscription.cancel() }
    }
  }
}
