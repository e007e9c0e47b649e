import Expressions
import Values

/// The action `approve`: a person decides.
package struct ApprovalAction: ActionKind {
  package let message: Template?

  package init(message: Template?) {
    self.message = message
  }

  package var key: ActionKey { .approve }
  package var isWork: Bool { false }
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { message.map { TerminalText.oneLine($0.text) } ?? "" }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    if let message { try body(.value, .template(message)) }
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { Self.result }
}

/// The keys of the long form of `approve`.
enum ApproveKey: String, CaseIterable, Sendable {
  case message

  static let table = KeyTable<ApproveKey>(
    "'approve'", [KeyRow("message", .template, "The question.")])
}

extension ApprovalAction: CheckableAction {
  /// The site of the expressions in its text.
  fileprivate static let place = ExpressionSite.Use.action(
    ExpressionSite.ActionPlace(key: .approve, visibility: .shown))

  /// The type of an approval's result.
  fileprivate static let result = ValueType.object([
    ValueType.Field(name: "approved", type: .bool), ValueType.Field(name: "note", type: .string, isOptional: true),
    ValueType.Field(name: "by", type: .string),
  ])

  static var rows: [KeyRow] {
    [
      KeyRow(
        "approve", .anyOf([.template, .keys(ApproveKey.table.rows)]),
        "Waits for a person to approve or reject; the text is the question.")
    ]
  }

  static var tables: [KeySection] { [ApproveKey.table.section()] }

  static var takes: Set<OperationKey> { [] }

  static var share: DefaultsShare { .nothing }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readApproval(node, into: draft)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType { result }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { nil }
}

extension DocumentReader {
  fileprivate func readApproval(_ node: YAMLNode, into draft: OperationDraft) {
    var message: Template?
    if node.entries != nil {
      readKeys(of: node, ApproveKey.table) { key, _, entry in
        switch key {
        case .message: message = template(entry.value, "'message'", ApprovalAction.place, into: &draft.sites)
        }
      }
    } else {
      message = template(node, "'approve'", ApprovalAction.place, into: &draft.sites)
    }
    draft.definition.action = .approve(message: message)
  }
}
