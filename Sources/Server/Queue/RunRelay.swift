import RunHistory
import Synchronization

/// Hands what becomes of runs to the log and to the server, which exists only after the dispatcher.
final class RunRelay: Sendable {
  private let log: HostLog
  private let onEnd = Mutex<(@Sendable (RunRecord) -> Void)?>(nil)

  init(log: HostLog) {
    self.log = log
  }

  func connect(_ body: @escaping @Sendable (RunRecord) -> Void) { onEnd.withLock { $0 = body } }

  private func tell(_ run: RunRecord) { onEnd.withLock { $0 }?(run) }

  var events: Dispatcher.Events {
    let log = log
    return Dispatcher.Events(
      began: { run in
        log.tell(
          .info, "run-began", "run \(run.id.short) of '\(run.pipeline)' begins", pipeline: run.pipeline, run: run.id)
      },
      ended: { [self] run in
        let reason = run.reason.map { ": \($0)" } ?? ""
        log.tell(
          run.state == .failed ? .error : .info, "run-ended",
          "run \(run.id.short) of '\(run.pipeline)' \(run.state.rawValue)\(reason)",
          pipeline: run.pipeline, run: run.id)
        tell(run)
      },
      failed: { [self] run, error in
        log.tell(
          .error, "run-lost", "run \(run.id.short) of '\(run.pipeline)' cannot go on: \(error)", pipeline: run.pipeline,
          run: run.id)
        tell(run)
      },
      stalled: { error in log.tell(.error, "queue", "cannot take runs from the queue: \(error)") })
  }
}
