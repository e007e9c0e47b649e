import PipelineEngine
import PipelineLanguage
import RunHistory

/// Why a run cannot be begun, retried or resumed.
package enum RunStartError: ServiceError {
  /// `near` is the name that was probably meant.
  case unknownOperation(String, pipeline: String, near: String?)
  /// No run in the workspace failed, was cancelled or was interrupted.
  case nothingToRetry(workspace: String)
  /// No run in the workspace was interrupted.
  case nothingToResume(workspace: String)
  /// The run is in a state that it cannot be retried or resumed from. `whereabouts` is what is known of the process that runs it.
  case unfit(short: String, state: RunState, whereabouts: String, host: String)
  /// The run could not be resumed, and nothing of it was touched. `code` and `reason` are those of the engine.
  case stillInterrupted(short: String, code: String, reason: String)
  /// Another process backfills the pipeline.
  case backfilled(pipeline: String, process: Int32)

  /// The error for a run that cannot be gone on with.
  init(_ run: RunRecord, _ reference: RunReference) {
    self = .unfit(
      short: reference.short(run.id), state: run.state,
      whereabouts: run.owner.whereabouts(in: reference.history.workspace.directory), host: run.host)
  }

  package var code: String {
    switch self {
    case .unknownOperation: "unknown-operation"
    case .nothingToRetry: "nothing-to-retry"
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
        + (near.map { ", did you mean '\($0)'?" } ?? "")
    case .nothingToRetry(let workspace):
      "no run in '\(workspace)' failed, was cancelled or was interrupted; `penstock history list` shows the runs"
    case .nothingToResume(let workspace):
      "no run in '\(workspace)' was interrupted; `penstock retry` runs again what failed, `penstock history list` shows the runs"
    case .unfit(let short, let state, let whereabouts, let host):
      switch state {
      case .queued, .running: "run \(short) \(whereabouts) on \(host)"
      case .failed, .cancelled:
        "run \(short) \(state.rawValue) by itself; `penstock retry \(short)` runs again what did not succeed"
      case .succeeded: "run \(short) has succeeded; there is nothing left to do"
      case .interrupted: "run \(short) was interrupted"
      }
    case .stillInterrupted(let short, _, let reason):
      "\(reason); run \(short) is still interrupted; fix this and run `penstock resume \(short)` again"
    case .backfilled(let pipeline, let process):
      "process \(process) is backfilling '\(TerminalText.visible(pipeline))'; wait for its end, or end it with Ctrl-C there"
    }
  }
}
