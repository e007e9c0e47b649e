import Values

extension PipelineDefinition {
  /// What is known of a pipeline whose file has errors, for the checks of those who run it: the params and results in which
  /// nothing is wrong as they are, the names of the others.
  func knownPart(of root: YAMLNode, errors: [SourceRange]) -> PipelineDefinition {
    func hasError(in ranges: SourceRange...) -> Bool {
      errors.contains { error in ranges.contains { $0.start <= error.start && error.start < $0.end } }
    }
    var known = self
    let entries = root["params"]?.entries ?? []
    for (place, entry) in entries.enumerated() where place < parameters.count {
      // One that may have a default need not be given.
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
    // A key that nobody knows may be meant for one of these.
    let hasUnknownKey = root.entries?.contains { !PipelineKey.isKnown($0.name) } ?? true
    known.gaps = Gaps(
      parameters: entries.count != parameters.count
        || (entries.isEmpty && (hasUnknownKey || hasError(in: root["params"]?.range ?? .beginning))),
      operations: root["operations"]?.items?.count != operations.count || operations.contains { $0.name.isEmpty })
    return known
  }
}
