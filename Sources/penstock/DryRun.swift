import Pipelines

struct DryRun {
  let pipeline: PipelineDefinition
  let options: RunOptions
  let history: History?
  let shared: SharedOptions
  func show() throws {}
}
