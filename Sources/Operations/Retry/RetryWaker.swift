/// Can end the wait before a retry early, because the cause of the failure may be over: the network is back, or a peer
/// responds.
///
/// A waker only brings the next attempt forward. It never postpones one, and costs no attempt.
public protocol RetryWaker: Sendable {
  /// Identifies the waker in history and messages, as in `reachable` or `peer-success`.
  var name: String { get }

  /// Whether it also ends a wait whose length the failure itself asks for, as with `Retry-After`. Default: false,
  /// because the peer that asked for that time should be left alone until then.
  var endsHintedWaits: Bool { get }

  /// Starts to watch. Called when a wait starts; the returned subscription is cancelled when the wait ends for any
  /// reason.
  ///
  /// `onWake` may be called from any thread, any number of times, even before `subscribe` returns and after the
  /// subscription has ended; only the first call during a wait has an effect.
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription
}

extension RetryWaker {
  /// False.
  public var endsHintedWaits: Bool { false }
}
