import OperatingSystem

extension PipelineDefinition {
  /// The texts of all pipelines that it runs, directly or not, by the absolute paths of their files: what ``LoadSession``
  /// reads in place of them.
  package var nestedTexts: [String: String] { allNested.mapValues(\.source.text) }

  /// What a run of it records beside its own text, for whoever goes on with it or compares with it: ``nestedTexts``, and the ``settingTexts`` of all.
  package var recordedTexts: [String: String] {
    guard !nested.isEmpty else { return settingTexts }
    var texts = settingTexts
    for (path, pipeline) in allNested {
      texts.merge(pipeline.settingTexts) { $1 }
      texts[path] = pipeline.source.text
    }
    return texts
  }

  /// All pipelines that it runs, directly or not, by the absolute paths of their files: each once, however many ways lead to it.
  package var allNested: [String: PipelineDefinition] {
    var pipelines: [String: PipelineDefinition] = [:]
    collectNested(into: &pipelines)
    return pipelines
  }

  /// The files of variables, its own and those of pipelines that it runs, that have other values than when these texts were recorded: their absolute paths.
  package func changedVariables(since recorded: [String: String]) -> [String] {
    recordedTexts.compactMap { key, text in
      guard let path = VariableHashes.path(ofKey: key), let former = recorded[key], former != text else { return nil }
      return path
    }.sorted()
  }

  private func collectNested(into pipelines: inout [String: PipelineDefinition]) {
    for (path, pipeline) in nested {
      let absolute = PathText.absolute(PathText.join(source.directory, path))
      guard pipelines.updateValue(pipeline, forKey: absolute) == nil else { continue }
      pipeline.collectNested(into: &pipelines)
    }
  }
}
