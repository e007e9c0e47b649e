import RunHistory

/// Notifies the observer of a run and the runs nested in it of what happens. Costs nothing without an observer.
struct RunObserver: Sendable {
  var events = RunEventRange.all
  /// Called on the event loop. Must return immediately.
  var onEvent: (@Sendable (RunEvent) -> Void)?

  /// Whether there is an observer.
  var isThere: Bool { onEvent != nil }

  /// Notifies the observer of an event.
  func emit(_ event: @autoclosure () -> RunEvent) {
    guard let onEvent else { return }
    onEvent(event())
  }

  /// Notifies the observer of an event during an operation, if it requests those.
  func emitOnTheWay(_ event: @autoclosure () -> RunEvent) {
    if events == .all { emit(event()) }
  }
}
