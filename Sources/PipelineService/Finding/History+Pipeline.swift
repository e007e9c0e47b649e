import PipelineLanguage
import RunHistory

extension History {
  /// Returns the pipeline recorded with a run, including nested ones, as it was when the run began. Its plugins are not checked. Nil if it does not load
  /// with this version.
  package func recordedPipeline(of run: RunRecord) throws -> PipelineDefinition? {
    PipelineLoader.load(
      text: try definition(of: run.id) ?? "", path: run.path ?? "\(run.pipeline).yaml",
      nested: try nestedDefinitions(of: run.id), plugins: .unchecked, isRecorded: true
    ).pipeline
  }
}
