import Values

extension PipelineDefinition {
  /// Returns what is known of a pipeline whose file has errors, for the checks of pipelines that run it: the params and results without errors, and the
  /// names of the others.
  func knownPart(of root: YAMLNode, errors: [SourceRange]) -> PipelineDefinition {
    func hasError(in ranges: SourceRange...) -> Bool {
      errors.contains { error in ranges.contains { $0.start <= error.start && error.start < $0.end } }
    }
    var known = self
    let entries = root["params"]?.entries ?? []
    for (place, entry) in entries.enumerated() where place < parameters.count {
      // A param that may have a default need not be passed.
      guard hasError(in: entry.key.range, entry.value.range) else { continue }
      known.parameters[place] = Parameter(name: entry.name, type: .json, range: entry.key.range)
      known.parameters[place].defaultValue = .null
    }
    for place in operations.indices where hasError(in: operations[place].extent) {
      known.operations[place].action = .nothing
      known.operations[place].result = nil
      known.valueTypes[place] = nil
      known.operations[place].loop = nil
      known.operations[place].allowFailure = true
    }
    // An unknown key may be a misspelling of one of these.
    let hasUnknownKey = root.entries?.contains { !PipelineKey.isKnown($0.name) } ?? true
    known.gaps = Gaps(
      parameters: entries.count != parameters.count
        || (entries.isEmpty && (hasUnknownKey || hasError(in: root["params"]?.range ?? .beginning))),
      operations: root["operations"]?.items?.count != operations.count || operations.contains { $0.name.isEmpty })
    return known
  }
}
