import RunHistory

/// Shows nothing; used between the runs of a watched pipeline.
final class IdlePresenter: RunPresenter {
  func show(_ events: [RunEvent]) {}
  func conclude(_ outcome: RunOutcome) {}
}
