import PipelineLanguage
import RunHistory

extension History {
  /// The pipeline that was recorded with a run, with its nested ones, as it was when the run began; its plugins are not looked at. Nil if it does not load with
  /// this version.
  package func recordedPipeline(of run: RunRecord) throws -> PipelineDefinition? {
    PipelineLoader.load(
      text: try definition(of: run.id) ?? "", path: run.path ?? "\(run.pipeline).yaml",
      nested: try nestedDefinitions(of: run.id), plugins: .unchecked, isRecorded: true
    ).pipeline
  }
}
