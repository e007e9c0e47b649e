import RunHistory

/// Tells whoever watches a run and those nested in it of what happens; costs nothing where nobody does.
struct RunObserver: Sendable {
  var events = RunEventRange.all
  /// Called on the loop; returns at once.
  var onEvent: (@Sendable (RunEvent) -> Void)?

  /// Whether anybody watches.
  var isThere: Bool { onEvent != nil }

  /// Tells whoever watches.
  func emit(_ event: @autoclosure () -> RunEvent) {
    guard let onEvent else { return }
    onEvent(event())
  }

  /// Tells whoever wants to hear that something goes on.
  func emitOnTheWay(_ event: @autoclosure () -> RunEvent) {
    if events == .all { emit(event()) }
  }
}
