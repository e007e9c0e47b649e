import Values

/// The action `http`, or `notify` if its body is a report of the run: a request.
extension HTTPAction: ActionKind {
  package var key: ActionKey { isReport ? .notify : .http }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .expressions }
  package var summary: String { TerminalText.oneLine("\(effectiveMethod) \(shownURL)") }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for part in templates { try body(.request(part.name), part.template) }
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType {
    declared ?? Self.response(isSaved: saveTo != nil)
  }
}

extension HTTPAction: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow(
        "http", .anyOf([.template, .keys(HTTPKey.table.rows)]),
        "An HTTP request; a URL alone is a GET request.")
    ]
  }

  static var tables: [KeySection] {
    [
      HTTPKey.table.section(), HTTPFormFileKey.table.section(), HTTPAuthKey.table.section(),
      HTTPBasicKey.table.section(), HTTPExpectKey.table.section(), HTTPSaveKey.table.section(),
      HTTPRedirectKey.table.section(), HTTPLimitKey.table.section(), HTTPTLSKey.table.section(),
    ]
  }

  static var takes: Set<OperationKey> { [.result, .retry, .repeat, .staleAfter, .staleWhen] }

  static var share: DefaultsShare { .work }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readHTTP(node, into: draft)
  }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {
    reader.finishHTTP(of: draft, node)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? response(isSaved: operation.http?.saveTo != nil)
  }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }

  /// Returns the result type if none is declared.
  private static func response(isSaved: Bool) -> ValueType {
    let head = [ValueType.Field(name: "status", type: .int), ValueType.Field(name: "headers", type: .json)]
    guard isSaved else { return .object(head + [ValueType.Field(name: "body", type: .json)]) }
    return .object(head + [ValueType.Field(name: "path", type: .file), ValueType.Field(name: "size", type: .int)])
  }
}

extension ExpressionSite.Use {
  /// A part of a request that is never shown.
  static let http = action(ExpressionSite.ActionPlace(key: .http, visibility: .hidden))
  /// A path or checksum of a request, which messages may show.
  static let httpShown = action(ExpressionSite.ActionPlace(key: .http, visibility: .shown))
}

extension OperationDraft {
  /// The operation's request, as far as it has been read.
  var http: HTTPAction? {
    get { if case .http(let action) = definition.action { action } else { nil } }
    set { if let newValue { definition.action = .http(newValue) } }
  }
}
