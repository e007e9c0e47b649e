/// Lateness of the host. May be used from any thread.
extension RunHost {
  /// Returns how late the event loop was since the last call, or since the host was opened.
  package func takeLateness() -> LoopLateness { services.loop.meter.take() }

  /// How long the event loop has been busy without checking for due work: zero while it sleeps, and long if it is stuck. For a watchdog, which may
  /// read it as often as it likes.
  package var presentTurn: Duration { services.loop.presentTurn }
}
