import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// An error: a run cannot be started, retried or resumed.
package enum RunStartError: ServiceError {
  /// `near` is the name that was probably meant.
  case unknownOperation(String, pipeline: String, near: String?)
  /// No run, of `pipeline` if given, failed or was interrupted without having been repaired since. `cancelled` is the latest run that was
  /// cancelled and has not been repaired either.
  case nothingToRetry(workspace: String, pipeline: String? = nil, cancelled: RunReferenceError.Candidate? = nil)
  /// The requested pipeline has no runs. `near` is the name that was probably meant.
  case noRunOfPipeline(String, workspace: String, near: String?)
  /// No run in the workspace was interrupted.
  case nothingToResume(workspace: String)
  /// The run's state does not allow retrying or resuming it. `whereabouts` describes what is known of the process that runs it.
  case unfit(short: String, state: RunState, whereabouts: String, host: String)
  /// The run could not be resumed and was left untouched. `code` and `reason` are those of the engine.
  case stillInterrupted(short: String, code: String, reason: String)
  /// Another process is backfilling the pipeline.
  case backfilled(pipeline: String, process: Int32)

  /// Creates the error for a run that cannot be resumed.
  init(_ run: RunRecord, _ reference: RunReference) {
    self = .unfit(
      short: reference.short(run.id), state: run.state,
      whereabouts: run.owner.whereabouts(in: reference.history.workspace.directory), host: run.host)
  }

  /// Returns the error for a retry that finds no run.
  static func nothingToRetry(of pipeline: String?, _ reference: RunReference) throws -> RunStartError {
    let (history, workspace) = (reference.history, reference.history.workspace.directory)
    if let pipeline, try history.runs(RunFilter(pipeline: pipeline, limit: 1)).isEmpty {
      return .noRunOfPipeline(
        pipeline, workspace: workspace, near: NearestName.suggestion(for: pipeline, among: try history.pipelineNames()))
    }
    let cancelled = try history.latestCancelledRun(of: pipeline).map {
      RunReferenceError.Candidate(short: reference.short($0.id), run: $0)
    }
    return .nothingToRetry(workspace: workspace, pipeline: pipeline, cancelled: cancelled)
  }

  package var code: String {
    switch self {
    case .unknownOperation: "unknown-operation"
    case .nothingToRetry: "nothing-to-retry"
    case .noRunOfPipeline: "no-run-of-pipeline"
    case .nothingToResume: "nothing-to-resume"
    case .unfit(_, let state, _, _): "run-\(state.rawValue)"
    case .stillInterrupted(_, let code, _): code
    case .backfilled: "backfill-under-way"
    }
  }

  package var description: String {
    switch self {
    case .unknownOperation(let name, let pipeline, let near):
      "the pipeline '\(pipeline)' has no operation '\(TerminalText.visible(name))'"
        + (near.map { "; did you mean '\($0)'?" } ?? "")
    case .nothingToRetry(let workspace, let pipeline, let cancelled):
      Self.nothingToRetry(workspace, pipeline, cancelled)
    case .noRunOfPipeline(let pipeline, let workspace, let near):
      "there are no runs of the pipeline '\(TerminalText.visible(pipeline))' in '\(workspace)'"
        + (near.map { "; did you mean '\(TerminalText.visible($0))'?" } ?? "; `penstock history list` shows the runs")
    case .nothingToResume(let workspace):
      "there is nothing to resume: no run in '\(workspace)' is interrupted; `penstock retry` retries a failed run, and `penstock history list` lists all runs"
    case .unfit(let short, let state, let whereabouts, let host):
      switch state {
      case .queued, .running: "run \(short) \(whereabouts) on \(host)"
      case .failed, .cancelled:
        "run \(short) is not interrupted: it \(state == .failed ? "failed" : "was cancelled"); `penstock retry \(short)` runs the operations that did not succeed"
      case .succeeded: "run \(short) has succeeded; there is nothing left to do"
      case .interrupted: "run \(short) was interrupted"
      }
    case .stillInterrupted(let short, _, let reason):
      "\(reason); run \(short) is still interrupted; fix this and run `penstock resume \(short)` again"
    case .backfilled(let pipeline, let process):
      "process \(process) is already backfilling '\(TerminalText.visible(pipeline))'; wait until it ends, or stop it with Ctrl-C in its terminal"
    }
  }

  private static func nothingToRetry(
    _ workspace: String, _ pipeline: String?, _ cancelled: RunReferenceError.Candidate?
  ) -> String {
    let which = pipeline.map { " of '\(TerminalText.visible($0))'" } ?? ""
    let text =
      "there is nothing to retry: no failed or interrupted run\(which) in '\(workspace)' still needs a retry"
    guard let cancelled else { return text + "; `penstock history list` shows the runs" }
    let name = pipeline == nil ? " of '\(TerminalText.visible(cancelled.run.pipeline))'" : ""
    let how = TerminalText.visible(cancelled.run.canceller?.words ?? cancelled.run.state.rawValue)
    return text + ". Run \(cancelled.short)\(name) was \(how); `penstock retry \(cancelled.short)` runs it again"
  }
}
