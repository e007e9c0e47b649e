import OperatingSystem

extension PipelineDefinition {
  /// The texts of all pipelines that it runs, directly or not, and of all files that they and itself include, by the absolute paths of the
  /// files: what ``LoadSession`` reads in place of them.
  package var nestedTexts: [String: String] {
    var texts = included
    for (path, pipeline) in allNested {
      texts.merge(pipeline.included) { known, _ in known }
      texts[path] = pipeline.source.text
    }
    return texts
  }

  /// What a run of it records beside its own text, for whoever goes on with it or compares with it: ``nestedTexts``, and the ``settingTexts`` of all.
  package var recordedTexts: [String: String] {
    guard !nested.isEmpty || !included.isEmpty else { return settingTexts }
    var texts = settingTexts
    for pipeline in allNested.values { texts.merge(pipeline.settingTexts) { $1 } }
    return texts.merging(nestedTexts) { $1 }
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
