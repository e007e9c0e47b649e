import Expressions

/// `approve`: a person decides.
package struct ApprovalAction: ActionKind {
  package let message: Template?

  package init(message: Template?) {
    self.message = message
  }

  package var keyword: String { "approve" }
  package var isWork: Bool { false }
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { message.map { TerminalText.oneLine($0.text) } ?? "" }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    if let message { try body(.value, .template(message)) }
  }
}
