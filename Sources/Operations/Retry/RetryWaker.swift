/// Something that can end the wait before a retry early, because what made the attempt fail may be over: a network that
/// came back, a peer that answers.
///
/// A waker only ever brings the next attempt forward. It does not postpone one, and costs no attempt.
public protocol RetryWaker: Sendable {
  /// Identifies the waker in history and messages, as in `reachable` or `peer-success`.
  var name: String { get }

  /// Whether it also ends a wait whose length the failure itself asks for, as with `Retry-After`. Default: false, as whoever asked for
  /// that time is not to be troubled before it is over.
  var endsHintedWaits: Bool { get }

  /// Begins to watch. Called when a wait begins; the returned subscription is cancelled when the wait ends, whatever
  /// ended it.
  ///
  /// `onWake` may be called from any thread, any number of times, also before `subscribe` returns and after the
  /// subscription ended; only the first call during a wait counts.
  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription
}

extension RetryWaker {
  /// False.
  public var endsHintedWaits: Bool { false }
}
