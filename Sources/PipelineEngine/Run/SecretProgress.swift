import RunHistory

/// Records which secret a run reads before it begins, or is resumed, where that takes longer than a moment, and what it lacks for that: a secret's command may wait for
/// somebody. *On the loop.*
final class SecretProgress {
  /// Most secrets are read sooner, and their runs need no record for that.
  private static let moment = Duration.milliseconds(200)

  private let services: HostServices
  private let run: RunID
  private let pipeline: String
  private let record: (RunReason) -> Void
  private var name: String?
  private var timer: EventLoop.Token?
  private var isRecorded = false
  private var shortage: EngineError?
  private var recorded: RunReason?

  /// - Parameters:
  ///   - run: The run.
  ///   - pipeline: The name of its pipeline.
  ///   - services: Those of its host.
  ///   - record: Records what the run does, for whoever looks.
  init(of run: RunID, _ pipeline: String, by services: HostServices, record: @escaping (RunReason) -> Void) {
    (self.run, self.pipeline, self.services, self.record) = (run, pipeline, services, record)
  }

  func reads(_ name: String) {
    self.name = name
    if isRecorded { return note() }
    guard timer == nil else { return }
    timer = services.loop.schedule(after: Self.moment) { [weak self] in
      self?.isRecorded = true
      self?.note()
    }
  }

  /// The secret cannot be read yet for want of a descriptor, a thread or memory; nil where it goes on.
  func lacks(_ error: EngineError?) {
    shortage = error
    if let error {
      services.shortages.tell(of: ResourceShortage(run: run, pipeline: pipeline, error: error))
      isRecorded = true
    }
    note()
  }

  /// The secrets are read, or cannot be.
  func end() {
    if let timer { services.loop.cancelTimer(timer) }
    timer = nil
    name = nil
  }

  private func note() {
    guard let name else { return }
    let reason = shortage.map { RunReason.shortage("\($0)") } ?? .readsSecret(name)
    guard reason != recorded else { return }
    recorded = reason
    record(reason)
  }
}
