/// `http` and `notify`: a request.
extension HTTPAction: ActionKind {
  package var keyword: String { isReport ? "notify" : "http" }
  package var isWork: Bool { true }
  package var secretReach: SecretReach { .expressions }
  package var summary: String { TerminalText.oneLine("\(effectiveMethod) \(shownURL)") }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for part in templates { try body(.request(part.name), part.template) }
  }
}
