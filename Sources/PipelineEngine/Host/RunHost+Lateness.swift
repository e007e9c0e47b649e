/// How late the host is. Any thread.
extension RunHost {
  /// How late the event loop was since this was asked last, or since the host was opened.
  package func takeLateness() -> LoopLateness { services.loop.meter.take() }

  /// How long the event loop has been busy without looking for what is due: zero while it sleeps, and long where it is stuck. For a watchdog, which asks as often as it likes.
  package var presentTurn: Duration { services.loop.presentTurn }
}
