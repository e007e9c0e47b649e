import PipelineEngine
import RunHistory
import Workspace

/// What a backfill does about one instant, by the latest run that stands for it.
package enum BackfillStep: String, Sendable, Hashable, CaseIterable {
  /// There is no run yet.
  case run
  /// The run failed or was cancelled, and another one is started.
  case runAgain = "run-again"
  /// The run was interrupted, and is resumed.
  case resume
  /// The run has succeeded, and nothing is done.
  case nothing
  /// The run goes on, and is left to the process that runs it.
  case leave

  package init(after former: RunRecord?) {
    self =
      switch former?.state {
      case nil: .run
      case .failed, .cancelled: .runAgain
      case .interrupted: .resume
      case .succeeded: .nothing
      case .queued, .running: .leave
      }
  }
}

/// Runs of one pipeline for many instants, one after the other. What identifies a run is the pipeline's name and the instant, whoever started it.
///
/// In a workspace, one process at a time backfills a pipeline, so that no instant has two runs at once.
package struct Backfill: Sendable {
  private let service: RunService
  private let start: RunStart
  private let lease: Lease

  /// Begins to backfill what `start` runs.
  ///
  /// - Throws: ``RunStartError/backfilled(pipeline:process:)`` while another process does, or `WorkspaceError`.
  package init(_ start: RunStart, in service: RunService) async throws {
    let name = start.pipeline.name
    switch try await service.host.lease("backfill:\(name)", holder: "a backfill of '\(name)'") {
    case .granted(let lease): self.lease = lease
    case .held(let lease): throw RunStartError.backfilled(pipeline: name, process: lease.owner.pid)
    }
    self.start = start
    self.service = service
  }

  /// The latest run for an instant, as it is now; nil where there is none.
  package func latest(for instant: RecordTime) throws -> RunRecord? {
    try service.history.latestRuns(of: start.pipeline.name, standingFor: instant...instant)[instant]
  }

  /// Runs the pipeline for an instant, or resumes `former`; see `RunHost.run`.
  package func run(
    for instant: RecordTime, after former: RunRecord?, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    if let former, BackfillStep(after: former) == .resume {
      let run = try ResumedRun(named: former.id.text, in: service.history)
      return try await service.resume(run, version: start.options.version, events: events, onEvent: onEvent)
    }
    try await service.host.noteRun(for: instant, of: start.pipeline.name)
    return try await service.run(start.standing(for: instant), events: events, onEvent: onEvent)
  }

  /// Lets other processes backfill the pipeline.
  package func end() async throws { try await service.host.release(lease) }
}
