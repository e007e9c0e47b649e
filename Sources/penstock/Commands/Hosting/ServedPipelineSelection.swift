import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory

/// Pipelines that a host serves, by name or by label.
struct ServedPipelineSelection: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The names of pipelines.", valueName: "name"), completion: ArgumentCompletion.servedPipelines)
  var names: [String] = []

  @OptionGroup var labels: LabelFilterOptions

  func validate() throws {
    if names.isEmpty, labels.arguments.isEmpty { throw ValidationError("Name a pipeline, or give a --label.") }
  }

  /// - Throws: `ServedPipelineError` where there is none of a name, or none with the labels.
  func pipelines(in history: History) throws -> [PublishedPipeline] {
    let labels = try labels.labels()
    guard names.isEmpty else {
      return try names.map { try history.servedPipeline($0) }.filter { $0.has(labels) }
    }
    let found = try history.publishedPipelines().filter { $0.has(labels) }
    guard !found.isEmpty else {
      throw ServedPipelineError.none(
        labels: RunText.list(self.labels.given), workspace: history.workspace.directory)
    }
    return found
  }
}

extension PublishedPipeline {
  /// Whether the pipeline has all of these labels.
  func has(_ wanted: [RunLabel]) -> Bool { wanted.allSatisfy { $0.isAmong(labels) } }
}
