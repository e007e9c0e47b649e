import Values

/// Conditions over pipelines that a host does not serve: those conditions stay false for as long as nobody else runs these pipelines on the workspace.
package struct UnknownPipelines {
  private var names: Set<String> = []
  private var mentions: [(mention: HostUse.Mention, sources: [SourceText])] = []

  package init() {}

  /// Adds a pipeline that the host serves, with the texts that it was loaded from.
  package mutating func add(_ pipeline: PipelineDefinition, in sources: [SourceText]) {
    names.insert(pipeline.name)
    mentions += pipeline.hostUse.pipelines.map { ($0, sources) }
  }

  /// Adds the name of a pipeline whose file has errors.
  package mutating func add(_ name: String) { names.insert(name) }

  /// A warning for each name that no pipeline has, with the texts of its pipeline.
  package var findings: [(finding: Diagnostic, sources: [SourceText])] {
    let unknown = mentions.filter { !names.contains($0.mention.pipeline) }
    guard !unknown.isEmpty else { return [] }
    let nearest = NearestName(names)
    return unknown.map { mention, sources in
      let finding = Diagnostic(
        .warning, otherCode: "unknown-pipeline",
        "this host serves no pipeline '\(mention.pipeline)'; the condition is false until a run of that pipeline, started elsewhere, succeeds in the workspace",
        file: mention.place.file, range: mention.place.range,
        fix: nearest.suggestion(for: mention.pipeline).map { "did you mean '\($0)'?" })
      return (finding, sources)
    }
  }
}
