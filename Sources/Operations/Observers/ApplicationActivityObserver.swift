/// Observes whether the application is in the foreground.
public protocol ApplicationActivityObserver: Sendable {
  /// Calls `handler` with whether the application is active, once before `subscribe` returns and then after each
  /// change, until the subscription ends.
  ///
  /// Later calls are made in the order of subscription, on any thread and without a lock held.
  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription

  /// Whether the application is currently active. By default, creates and ends a subscription to find out.
  var isApplicationActive: Bool { get }

  /// The time of the last change; nil, the default, if unknown.
  var activityChangedAt: Timestamp? { get }
}

extension ApplicationActivityObserver {
  /// The value that a new subscription gets immediately; true if it gets none.
  public var isApplicationActive: Bool {
    let told = FirstAnswer()
    subscribe { told.give($0) }.cancel()
    return told.value ?? true
  }

  /// Nil: unknown.
  public var activityChangedAt: Timestamp? { nil }
}
