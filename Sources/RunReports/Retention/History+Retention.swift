import PipelineLanguage
import RunHistory
import Values
import Workspace

extension PruneRule {
  /// The rule that `retention` of a pipeline stands for at an instant.
  public init(_ retention: PipelineDefinition.Retention, of pipeline: String, now: RecordTime = .now) {
    self.init(
      olderThan: retention.olderThan.map { now.advanced(by: -$0.wholeMicroseconds) }, keep: retention.keep,
      pipeline: pipeline)
  }
}

extension History {
  /// What each pipeline says about its own runs: the `retention` in the definition of its latest run, by the names of the pipelines.
  ///
  /// Pipelines that say nothing are left out, unless there is something `otherwise`. The definition is the one that is recorded, wherever the file is by now.
  ///
  /// - Parameters:
  ///   - pipeline: A name or a pattern; nil for all.
  ///   - otherwise: What holds for pipelines that say nothing. Default nil, for nothing.
  /// - Returns: The pipelines with a retention, in order of their names.
  /// - Throws: ``WorkspaceError`` if the workspace cannot be read.
  public func retentions(
    pipeline: String? = nil, otherwise: PipelineDefinition.Retention? = nil
  ) throws(WorkspaceError) -> [(pipeline: String, retention: PipelineDefinition.Retention)] {
    let definitions = try latestDefinitions(pipeline: pipeline)
    return definitions.compactMap { entry in
      (RecordedRetention.read(entry.text) ?? otherwise).map { (entry.name, $0) }
    }
  }
}

/// Finds `retention` in the text of a definition, whatever else is in it: it was checked when it ran.
enum RecordedRetention {
  static func read(_ text: String) -> PipelineDefinition.Retention? {
    guard text.contains("retention") else { return nil }
    let source = SourceText(path: "definition", text: text)
    let entries = YAMLReader.read(source).root?.entries ?? []
    guard let entry = entries.first(where: { $0.name == PipelineKey.retention.rawValue }) else { return nil }
    let reader = DocumentReader(source: source)
    let retention = reader.retention(entry.value)
    return reader.hasErrors ? nil : retention
  }
}
