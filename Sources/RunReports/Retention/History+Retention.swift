import PipelineLanguage
import RunHistory
import Values
import Workspace

extension PruneRule {
  /// Creates the rule for a pipeline's `retention` at an instant.
  public init(_ retention: PipelineDefinition.Retention, of pipeline: String, now: RecordTime = .now) {
    self.init(
      olderThan: retention.olderThan.map { now.advanced(by: -$0.wholeMicroseconds) }, keep: retention.keep,
      pipeline: pipeline)
  }
}

extension History {
  /// Returns the retention of each pipeline's own runs: the `retention` in the definition recorded with its latest run.
  ///
  /// Pipelines without one are omitted, unless `otherwise` is given. Their current files are not read.
  ///
  /// - Parameters:
  ///   - pipeline: A name or a pattern; nil for all.
  ///   - otherwise: The retention of pipelines that have none. Default nil.
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

/// Reads `retention` from the text of a definition, ignoring the rest: it was checked when it ran.
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
