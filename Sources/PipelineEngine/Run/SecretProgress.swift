import RunHistory

/// Records which secret a run reads before it begins, where that takes longer than a moment, and what it lacks for that: a secret's command may wait for
/// somebody. *On the loop.*
final class SecretProgress {
  /// Most secrets are read sooner, and their runs need no record for that.
  private static let moment = Duration.milliseconds(200)

  private let run: Run
  private var name: String?
  private var timer: EventLoop.Token?
  private var isRecorded = false
  private var shortage: EngineError?
  private var recorded: RunReason?

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

  /// The secret cannot be read yet for want of a descriptor, a thread or memory; nil where it goes on.
  func lacks(_ error: EngineError?) {
    shortage = error
    if let error {
      run.services.shortages.tell(
        of: ResourceShortage(run: run.id, pipeline: run.state.pipeline.name, error: error))
      isRecorded = true
    }
    record()
  }

  /// The secrets are read, or cannot be.
  func end() {
    if let timer { run.services.loop.cancelTimer(timer) }
    timer = nil
    name = nil
  }

  private func record() {
    guard let name else { return }
    let reason = shortage.map { RunReason.shortage("\($0)") } ?? .readsSecret(name)
    guard reason != recorded else { return }
    recorded = reason
    run.services.recorder.record(.runPrepares(run.id, reason: reason.text))
  }
}
