import RunHistory

/// Records which secret a run reads before it begins, where that takes longer than a moment: a secret's command may wait for somebody. *On the loop.*
final class SecretProgress {
  /// Most secrets are read sooner, and their runs need no record for that.
  private static let moment = Duration.milliseconds(200)

  private let run: Run
  private var name: String?
  private var timer: EventLoop.Token?
  private var isRecorded = false

  init(of run: Run) { self.run = run }

  func reads(_ name: String) {
    self.name = name
    if isRecorded { return record() }
    guard timer == nil else { return }
    timer = run.services.loop.schedule(after: Self.moment) { [weak self] in
      self?.isRecorded = true
      self?.record()
    }
  }

  /// The secrets are read, or cannot be.
  func end() {
    if let timer { run.services.loop.cancelTimer(timer) }
    timer = nil
    name = nil
  }

  private func record() {
    guard let name else { return }
    run.services.recorder.record(.runPrepares(run.id, reason: RunReason.readsSecret(name).text))
  }
}
