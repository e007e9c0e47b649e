import Values

/// The action `pipeline`: a nested pipeline, by the path written in the file.
package struct NestedPipelineAction: ActionKind {
  package let path: String
  package let parameters: [(name: String, value: DataTemplate)]

  package init(path: String, parameters: [(name: String, value: DataTemplate)]) {
    self.path = path
    self.parameters = parameters
  }

  package var key: ActionKey { .pipeline }
  // Its operations use slots of the nested run; it uses one here while they are running.
  package var isWork: Bool { true }
  // `SecretTrail` follows the values it passes on.
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { TerminalText.visible(path) }

  package var nestedPath: String? { path }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for parameter in parameters { try body(.parameter(parameter.name), parameter.value) }
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { nested(path) }
}

/// The keys of the long form of `pipeline`.
enum NestedPipelineKey: String, CaseIterable, Sendable {
  case file, params

  static let table = KeyTable<NestedPipelineKey>(
    "'pipeline'",
    [
      KeyRow("file", .text, "The path of the pipeline file, relative to the directory of this file.", required: true),
      KeyRow("params", .map(keyPattern: NamePattern.member, .data), "Values for its params."),
    ])
}

extension NestedPipelineAction: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow(
        "pipeline", .anyOf([.text, .keys(NestedPipelineKey.table.rows)]),
        "Runs another pipeline file as a nested run; the path is relative to the directory of this file.")
    ]
  }

  static var tables: [KeySection] { [NestedPipelineKey.table.section()] }

  static var takes: Set<OperationKey> { [.params, .retry, .repeat, .grace, .staleAfter, .staleWhen] }

  static var share: DefaultsShare { .work }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readNestedPipeline(node, into: draft)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    guard let path = operation.nestedCall?.path, let pipeline = checker.nested[path] ?? nil else { return .json }
    return TypeInference.bounded(NestedResult.type(of: pipeline))
  }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }

  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) {
    checker.checkNestedParameters(of: operation, types)
  }
}

extension DocumentReader {
  fileprivate func readNestedPipeline(_ node: YAMLNode, into draft: OperationDraft) {
    guard node.entries != nil else {
      if let path = path(node, "'pipeline'") { setNestedPath(path, node, into: draft) }
      return
    }
    var hasFile = false
    readKeys(of: node, NestedPipelineKey.table) { key, _, entry in
      switch key {
      case .file:
        hasFile = true
        if let path = path(entry.value, "'file'") { setNestedPath(path, entry.value, into: draft) }
      case .params: readNestedParameters(entry, into: draft)
      }
    }
    if !hasFile { error(.missingKey, "'pipeline' needs a 'file'", at: node.entries?.first?.key.range ?? node.range) }
  }

  private func path(_ node: YAMLNode, _ what: String) -> String? {
    guard let path = plainText(node, what) else { return nil }
    if path.isEmpty || path.utf8.contains(0) {
      wrongForm(node, what, needs: "a path")
      return nil
    }
    return path
  }

  private func setNestedPath(_ path: String, _ node: YAMLNode, into draft: OperationDraft) {
    let parameters = draft.nestedCall?.parameters ?? []
    draft.definition.action = .pipeline(path: path, parameters: [])
    draft.nestedCall = OperationDraft.NestedCall(path: path, node: node, parameters: parameters)
  }

  /// Reads `params`, inside `pipeline` or beside it.
  func readNestedParameters(_ entry: YAMLEntry, into draft: OperationDraft) {
    guard let entries = entry.value.entries else {
      return wrongForm(entry.value, "'params'", needs: "a mapping")
    }
    var call = draft.nestedCall ?? OperationDraft.NestedCall(path: "", node: entry.value)
    guard call.parameters.isEmpty else {
      return error(.severalParams, "'params' is given both in 'pipeline' and beside it", at: entry.key.range)
    }
    for parameter in entries {
      let value = placedData(parameter.value, .nestedParameter, into: &draft.sites)
      call.parameters.append((parameter.name, parameter.key.range, value))
    }
    draft.nestedCall = call
  }
}

/// The type of a nested pipeline's result: an object with the results of its operations.
enum NestedResult {
  /// The number of nesting levels that a type covers. Without this limit, the size of a type could double with each level.
  private static let depth = 3

  static func type(of pipeline: PipelineDefinition, depth: Int = Self.depth) -> ValueType {
    guard depth > 0, pipeline.gaps?.operations != true else { return .json }
    var fields: [ValueType.Field] = []
    for (place, operation) in pipeline.operations.enumerated() {
      let type = pipeline.valueTypes[place] ?? self.type(of: operation, in: pipeline, depth: depth)
      guard type != .none else { continue }
      // An operation that is skipped or fails has no result.
      let isOptional = operation.condition != nil || operation.allowFailure || !operation.dependencies.isEmpty
      fields.append(ValueType.Field(name: operation.name, type: type, isOptional: isOptional))
    }
    return .object(fields)
  }

  private static func type(
    of operation: OperationDefinition, in pipeline: PipelineDefinition, depth: Int
  ) -> ValueType {
    let single = typeOfOne(operation, in: pipeline, depth: depth)
    return operation.loop == nil || single == .none ? single : .list(single)
  }

  private static func typeOfOne(
    _ operation: OperationDefinition, in pipeline: PipelineDefinition, depth: Int
  ) -> ValueType {
    operation.action.kind.resultType(declared: operation.result) { path in
      pipeline.nested[path].map { type(of: $0, depth: depth - 1) } ?? .json
    }
  }
}
