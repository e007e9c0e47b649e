import RunHistory

/// Hands what becomes of runs to the log and to the server, which exists only after the dispatcher.
final class RunRelay: Sendable {
  private let log: HostLog
  private let target = Target()

  private actor Target {
    var onEnd: (@Sendable (RunRecord) async -> Void)?
    func connect(_ body: @escaping @Sendable (RunRecord) async -> Void) { onEnd = body }
    func tell(_ run: RunRecord) async { await onEnd?(run) }
  }

  init(log: HostLog) {
    self.log = log
  }

  func connect(_ body: @escaping @Sendable (RunRecord) async -> Void) { Task { await target.connect(body) } }

  var events: Dispatcher.Events {
    let (log, target) = (log, target)
    return Dispatcher.Events(
      began: { run in
        log.tell(
          .info, "run-began", "run \(run.id.short) of '\(run.pipeline)' begins", pipeline: run.pipeline, run: run.id)
      },
      ended: { run in
        let reason = run.reason.map { ": \($0)" } ?? ""
        log.tell(
          run.state == .failed ? .error : .info, "run-ended",
          "run \(run.id.short) of '\(run.pipeline)' \(run.state.rawValue)\(reason)",
          pipeline: run.pipeline, run: run.id)
        Task { await target.tell(run) }
      },
      failed: { run, error in
        log.tell(
          .error, "run-lost", "run \(run.id.short) of '\(run.pipeline)' cannot go on: \(error)", pipeline: run.pipeline,
          run: run.id)
        Task { await target.tell(run) }
      },
      stalled: { error in log.tell(.error, "queue", "cannot take runs from the queue: \(error)") })
  }
}
