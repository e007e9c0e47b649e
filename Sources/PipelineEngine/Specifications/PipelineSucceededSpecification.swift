import Operations
import RunHistory
import Workspace

/// Whether the latest ended run of a pipeline was a success or, with an instant, whether there was a success since.
struct PipelineSucceededSpecification: LoopSpecification {
  /// The name of the pipeline.
  let pipeline: String
  let since: RecordTime?
  let text: String
  let runs: LatestRuns
  let watch: WorkspaceWatch
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool { isSuccess(latest, in: context) }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let observer = watch.add(.ends(ofRunsOf: pipeline), onChange)
    return { watch.remove(observer) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let latest = latest
    let isSatisfied = isSuccess(latest, in: context)
    if let since, !isSatisfied {
      let reason = "'\(pipeline)' has not succeeded since \(context.operationTimestampFormat(Timestamp(since)))"
      return SpecificationDescription(formula: text, reason: reason, isSatisfied: false)
    }
    let endedAt = latest?.endedAt.map { Timestamp($0) }
    var reason =
      latest.map { "run \($0.id.text) of '\(pipeline)' \($0.state.rawValue)" } ?? "'\(pipeline)' has never run"
    if let endedAt { reason += " at \(context.operationTimestampFormat(endedAt))" }
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isSatisfied, changedAt: endedAt)
  }

  private func isSuccess(_ run: RunRecord?, in context: OperationContext) -> Bool {
    guard let run, run.state == .succeeded else { return false }
    // What has ended since a time in the future is unknown: the clock was set back.
    guard let since, Timestamp(since) <= context.operationClock.now() else { return true }
    return run.endedAt.map { $0 > since } ?? false
  }

  // Since an instant, any success counts; otherwise only the pipeline's latest outcome.
  private var latest: RunRecord? {
    since == nil
      ? runs.latest(of: pipeline, in: [.succeeded, .failed, .cancelled, .interrupted])
      : runs.latestSuccess(of: pipeline)
  }
}
