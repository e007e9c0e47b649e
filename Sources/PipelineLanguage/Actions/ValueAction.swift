import Values

/// The action `value`: an expression, or data that contains expressions; no process.
package struct ValueAction: ActionKind {
  package let data: DataTemplate

  package init(data: DataTemplate) {
    self.data = data
  }

  package var key: ActionKey { .value }
  package var isWork: Bool { false }
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { TerminalText.oneLine(data.source) }

  package var computedValue: DataTemplate? { data }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    try body(.value, data)
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { declared ?? .json }
}

extension ValueAction: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow("value", .data, "Data with expressions in it; starts no process.")
    ]
  }

  static var tables: [KeySection] { [] }

  static var takes: Set<OperationKey> { [.result, .repeat, .staleAfter, .staleWhen] }

  static var share: DefaultsShare { .nothing }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    let use = ExpressionSite.Use.action(ExpressionSite.ActionPlace(key: .value, visibility: .shown))
    let value = reader.placedData(node, use, into: &draft.sites)
    draft.operand = value
    draft.definition.action = .value(value.data)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? .json
  }

  static func resultType(
    of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker
  ) -> ValueType {
    let found = operation.operand.map { TypeInference.type(of: $0, siteTypes: types) } ?? .json
    guard let declared = operation.definition.result else { return TypeInference.bounded(found) }
    if case .no(let reason) = checker.accepts(declared, found, literally: operation.operand) {
      checker.reader.error(
        .typeMismatch,
        "\(operation.title) declares \(declared), but its value is \(PipelineChecker.shown(found))\(PipelineChecker.detail(reason))",
        at: operation.operand?.node.range ?? operation.nameRange)
    }
    return declared
  }

  static var undeclaredResult: UndeclaredResult { .computed }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }
}
