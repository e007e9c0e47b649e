import RunHistory

/// Shows a run on a terminal that it shares with other jobs: as a tree while the run is in the foreground, else in plain lines.
///
/// Both presenters track the whole run, so that either can continue where the other one stopped.
final class TerminalPresenter: RunPresenter {
  private let live: LivePresenter
  private let plain: PlainPresenter
  private var isInForeground = true

  init(_ presentation: RunPresentation) {
    live = LivePresenter(presentation)
    plain = PlainPresenter(presentation)
    plain.isMuted = true
    look()
  }

  /// Polled, because a shell need not notify a running job that it brings to the foreground.
  var tickMilliseconds: Int32? { live.tickMilliseconds }

  var keyDescriptor: Int32? { live.keyDescriptor }

  func readKeys() {
    look()
    live.readKeys()
  }

  func show(_ events: [RunEvent]) {
    look()
    live.show(events)
    plain.show(events)
  }

  func tick() {
    look()
    live.tick()
    plain.tick()
  }

  func redraw() {
    look()
    live.redraw()
  }

  func leave() {
    look()
    live.leave()
  }

  func cancelling(times: Int) {
    look()
    if isInForeground { live.cancelling(times: times) } else { plain.cancelling(times: times) }
  }

  func conclude(_ outcome: RunOutcome) {
    look()
    if isInForeground { live.conclude(outcome) } else { plain.conclude(outcome) }
  }

  private func look() {
    let isOurs = ForegroundTerminal.isOurs(TextOutput.standard.descriptor)
    guard isOurs != isInForeground else { return }
    isInForeground = isOurs
    plain.isMuted = isOurs
    if isOurs {
      live.show()
    } else {
      live.hide()
    }
  }
}
