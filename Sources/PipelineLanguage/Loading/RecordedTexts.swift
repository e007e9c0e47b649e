import OperatingSystem

extension PipelineDefinition {
  /// The texts of all nested pipelines, direct and indirect, and of all files that they and this pipeline include, by absolute path.
  /// ``LoadSession`` reads them instead of the files.
  package var nestedTexts: [String: String] {
    var texts = included
    for (path, pipeline) in allNested {
      texts.merge(pipeline.included) { known, _ in known }
      texts[path] = pipeline.source.text
    }
    return texts
  }

  /// What a run records besides its own text, for resuming and comparing it: ``nestedTexts``, and the ``settingTexts`` of all pipelines.
  package var recordedTexts: [String: String] {
    guard !nested.isEmpty || !included.isEmpty else { return settingTexts }
    var texts = settingTexts
    for pipeline in allNested.values { texts.merge(pipeline.settingTexts) { $1 } }
    return texts.merging(nestedTexts) { $1 }
  }

  /// All nested pipelines, direct and indirect, by absolute path, without duplicates.
  package var allNested: [String: PipelineDefinition] {
    var pipelines: [String: PipelineDefinition] = [:]
    collectNested(into: &pipelines)
    return pipelines
  }

  /// Returns the absolute paths of files of variables, including those of nested pipelines, whose values differ from the recorded texts.
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
