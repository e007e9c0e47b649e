import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory

/// Selects pipelines that a host serves: by name, by label, or all of them.
struct ServedPipelineSelection: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The names of pipelines", valueName: "name"), completion: ArgumentCompletion.servedPipelines)
  var names: [String] = []

  @OptionGroup var labels: LabelFilterOptions

  @Flag(help: "All pipelines that the host serves now")
  var all = false

  func validate() throws {
    let isNamed = !names.isEmpty || !labels.arguments.isEmpty
    if all, isNamed { throw ValidationError("--all excludes names and --label.") }
    if !all, !isNamed { throw ValidationError("Name a pipeline, or give a --label or --all.") }
  }

  /// - Throws: `ServedPipelineError` if no pipeline has a given name or the labels, or none is served at all.
  func pipelines(in history: History) throws -> [PublishedPipeline] {
    if all {
      let served = try history.publishedPipelines()
      if served.isEmpty { try history.requireReady(for: nil) }
      guard !served.isEmpty else {
        throw ServedPipelineError.nothingServed(
          workspace: history.workspace.directory, by: try history.hosts(limit: 1).first)
      }
      return served
    }
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
  /// Returns whether the pipeline has all of these labels.
  func has(_ wanted: [RunLabel]) -> Bool { wanted.allSatisfy { $0.isAmong(labels) } }
}
