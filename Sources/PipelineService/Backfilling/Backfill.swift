import PipelineEngine
import RunHistory
import Workspace

/// What a backfill does for one instant, given the latest run for it.
package enum BackfillStep: String, Sendable, Hashable, CaseIterable {
  /// There is no run yet.
  case run
  /// The run failed or was cancelled, and another one is started.
  case runAgain = "run-again"
  /// The run was interrupted, and is resumed.
  case resume
  /// The run has succeeded, and nothing is done.
  case nothing
  /// The run is active, and is left to the process that runs it.
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

/// A series of runs of one pipeline for many instants, one after the other. A run is identified by the pipeline's name and the instant, regardless of its
/// requester.
///
/// Only one process at a time backfills a pipeline in a workspace, so that no instant has two runs at once.
package struct Backfill: Sendable {
  private let service: RunService
  private let start: RunStart
  private let lease: Lease

  /// Starts a backfill of `start`.
  ///
  /// - Throws: ``RunStartError/backfilled(pipeline:process:)`` while another process backfills the pipeline, or `WorkspaceError`.
  package init(_ start: RunStart, in service: RunService) async throws {
    let name = start.pipeline.name
    switch try await service.host.lease("backfill:\(name)", holder: "a backfill of '\(name)'") {
    case .granted(let lease): self.lease = lease
    case .held(let lease): throw RunStartError.backfilled(pipeline: name, process: lease.owner.pid)
    }
    self.start = start
    self.service = service
  }

  /// Returns the latest run for an instant at this moment, or nil.
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

  /// Ends the backfill, so that other processes may backfill the pipeline.
  package func end() async throws { try await service.host.release(lease) }
}
