/// `value`: an expression, or data with expressions in it; no process.
struct ValueAction: ActionKind {
  let data: DataTemplate

  var keyword: String { "value" }
  var isWork: Bool { false }
  var secretReach: SecretReach { .nowhere }
  var summary: String { TerminalText.oneLine(data.source) }

  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    try body(.value, data)
  }
}
