/// `approve`: a person decides.
struct ApprovalAction: ActionKind {
  let message: Template?

  var keyword: String { "approve" }
  var isWork: Bool { false }
  var secretReach: SecretReach { .nowhere }
  var summary: String { message.map { TerminalText.oneLine($0.text) } ?? "" }

  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    if let message { try body(.value, .template(message)) }
  }
}
