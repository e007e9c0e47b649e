import PipelineEngine
import RunHistory
import Synchronization

/// Passes events of runs to the log and to the server, which is created only after the dispatcher.
final class RunRelay: Sendable {
  /// A struct, because a bare closure is wrapped in another one each time it is read from a `Mutex`, until the stack overflows.
  private struct Target {
    var onBegin: (@Sendable () -> Void)?
    var onEnd: (@Sendable (RunRecord) -> Void)?
  }

  private let log: HostLog
  /// The record of a run.
  private let state: @Sendable (RunID) -> RunState?
  /// Why a run failed and the command that shows more, for people; nil if that cannot be read.
  private let failure: @Sendable (RunRecord) -> String?
  private let target = Mutex(Target())

  init(
    log: HostLog, failure: @escaping @Sendable (RunRecord) -> String? = { _ in nil },
    state: @escaping @Sendable (RunID) -> RunState?
  ) {
    self.failure = failure
    self.log = log
    self.state = state
  }

  /// Why a run that was taken from the queue did not begin; nil if it did, or if somebody cancelled it.
  private static func reasonNotToRun(_ run: RunRecord) -> (reason: Occasion.Reason, clause: String?)? {
    guard run.state == .cancelled, run.startedAt == nil else { return nil }
    if run.canceller?.means == .overlap, let other = run.canceller?.who {
      return (.overlap, "replaced by run \(other)")
    }
    return run.reason == RunReason.tooLate.text ? (.tooLate, nil) : nil
  }

  /// The state of a run that its host does not continue.
  static func words(for state: RunState?) -> String {
    switch state {
    case .failed?, .cancelled?, .succeeded?: "has ended as \(state?.rawValue ?? "")"
    case .interrupted?: "is interrupted"
    case .queued?: "is queued again"
    case .running?, nil: "is no longer run by this host"
    }
  }

  func connect(_ body: @escaping @Sendable (RunRecord) -> Void) { target.withLock { $0.onEnd = body } }

  /// Sets `body` to be called when a run begins.
  func connectBeginning(_ body: @escaping @Sendable () -> Void) { target.withLock { $0.onBegin = body } }

  private func tell(_ run: RunRecord) { target.withLock { $0.onEnd }?(run) }

  var events: Dispatcher.Events {
    let log = log
    return Dispatcher.Events(
      began: { [self] run in
        log.tell(
          .info, "run-began", "run \(run.id) of '\(run.pipeline)' begins", pipeline: run.pipeline, run: run.id)
        target.withLock { $0.onBegin }?()
      },
      ended: { [self] run in
        if let (reason, clause) = Self.reasonNotToRun(run) {
          log.tell(run.id, of: run.pipeline, isNotRun: reason, because: clause)
          return tell(run)
        }
        let cause = run.state == .failed ? failure(run) : nil
        let reason = (cause ?? run.reason).map { ": \($0)" } ?? ""
        log.tell(
          run.state == .failed ? .error : .info, "run-ended",
          "run \(run.id) of '\(run.pipeline)' \(run.state.rawValue)\(reason)",
          pipeline: run.pipeline, run: run.id)
        tell(run)
      },
      failed: { [self] run, error in
        let subject = "run \(run.id) of '\(run.pipeline)'"
        switch error {
        case EngineError.left where state(run.id) == .queued, is CancellationError where state(run.id) == .queued:
          log.tell(
            .info, "run-left", "\(subject) has not begun and stays queued", pipeline: run.pipeline, run: run.id)
        case EngineError.left:
          log.tell(
            .info, "run-left", "\(subject) is waiting and is left to the next host", pipeline: run.pipeline, run: run.id
          )
        case is CancellationError:
          log.tell(
            .info, "run-left", "\(subject) has not begun and is no longer wanted", pipeline: run.pipeline,
            run: run.id)
        default:
          log.tell(
            .error, "run-lost", "\(subject) \(Self.words(for: state(run.id))): \(error)", pipeline: run.pipeline,
            run: run.id)
        }
        tell(run)
      },
      late: { late in log.tell(late) },
      stalled: { error in log.tell(.error, "queue", "cannot take runs from the queue: \(error)") })
  }
}
