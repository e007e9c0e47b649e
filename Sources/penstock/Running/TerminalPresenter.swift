import RunHistory

/// Shows a run on a terminal that other jobs write to, too: as a tree while the run is in the foreground, in plain lines while it is not.
///
/// Both presenters follow all of the run, so that either can go on where the other one ended.
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

  /// A shell that brings a running job to the foreground need not tell it: whoever draws looks.
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
