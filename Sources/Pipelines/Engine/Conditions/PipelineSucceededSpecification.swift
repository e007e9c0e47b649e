import Operations
import Workspace

/// Whether the latest run of a pipeline that has ended was a success.
struct PipelineSucceededSpecification: LoopSpecification {
  /// The name of the pipeline.
  let pipeline: String
  let text: String
  let history: History
  let watch: WorkspaceWatch
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool { latest?.state == .succeeded }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let observer = watch.add(onChange)
    return { watch.remove(observer) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let latest = latest
    let reason =
      latest.map { "run \($0.id.short) of '\(pipeline)' \($0.state.rawValue)" } ?? "'\(pipeline)' has never run"
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: latest?.state == .succeeded)
  }

  private var latest: RunRecord? {
    let filter = RunFilter(
      pipeline: pipeline, states: [.succeeded, .failed, .cancelled, .interrupted], includesNested: true, limit: 1)
    return (try? history.runs(filter))?.first
  }
}
