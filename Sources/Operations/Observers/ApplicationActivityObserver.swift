/// Knows whether the application is in the foreground, and tells when that changes.
public protocol ApplicationActivityObserver: Sendable {
  /// Calls `handler` at once with whether the application is active, before `subscribe` returns, and then with the new
  /// value after each change, until the subscription ends.
  ///
  /// Later calls come in the order of subscription, on any thread and under no lock.
  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription

  /// Whether the application is active now. By default a subscription is made and ended to find out.
  var isApplicationActive: Bool { get }

  /// When the value last changed; nil, the default, where that is not known.
  var activityChangedAt: Timestamp? { get }
}

extension ApplicationActivityObserver {
  /// What a new subscription is told at once; true if it is told nothing.
  public var isApplicationActive: Bool {
    let told = FirstAnswer()
    subscribe { told.give($0) }.cancel()
    return told.value ?? true
  }

  /// Unknown.
  public var activityChangedAt: Timestamp? { nil }
}
