import PipelineEngine
import RunHistory

/// Turns events of a pipeline's controllers into occasions, with the runs that they request.
struct EventAdmission: Sendable {
  let pipeline: ServedPipeline
  let host: RunHost
  /// The time for which the pipeline was not in effect before, and why.
  let absence: PipelineAbsence
  let admit: PipelineAgent.Admit
  /// Called for each occasion that this records without a run.
  let onSkip: @Sendable (Occasion, Occasion.Reason) -> Void

  func record(_ event: ControllerEvent) async throws {
    if let leftOut = event.leftOut {
      let requests = leftOut.occasions(
        of: pipeline.name, controller: event.controller, during: absence, at: host.now())
      for (request, admission) in zip(requests, try await host.admit(requests)) {
        if case .skipped(let reason, _) = admission { onSkip(request.occasion, reason) }
      }
      return
    }
    let occasion = Occasion(
      pipeline: pipeline.name, cause: event.instant == nil ? .event : .instant, controller: event.controller,
      instant: event.instant, askedAt: host.now(), detail: event.value["reason"]?.stringValue)
    _ = try await admit(occasion, pipeline.run(for: occasion, event: event.value), pipeline.overlap)
  }
}
