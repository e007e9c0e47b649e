import RunHistory

/// Records which secret a run is reading before it begins or is resumed, if that takes longer than a moment, and which resource it lacks: a secret's
/// command may wait for a person. *On the event loop.*
final class SecretProgress {
  /// Most secrets are read sooner, and their runs need no record of it.
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
  ///   - services: The services of its host.
  ///   - record: Records what the run is doing, for other processes to read.
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

  /// Notes that the secret cannot be read yet for lack of a descriptor, a thread or memory; nil once reading continues.
  func lacks(_ error: EngineError?) {
    shortage = error
    if let error {
      services.shortages.tell(of: ResourceShortage(run: run, pipeline: pipeline, error: error))
      isRecorded = true
    }
    note()
  }

  /// Ends the report, because the secrets have been read or cannot be.
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
