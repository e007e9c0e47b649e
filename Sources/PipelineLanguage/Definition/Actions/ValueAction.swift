/// `value`: an expression, or data with expressions in it; no process.
package struct ValueAction: ActionKind {
  package let data: DataTemplate

  package init(data: DataTemplate) {
    self.data = data
  }

  package var keyword: String { "value" }
  package var isWork: Bool { false }
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { TerminalText.oneLine(data.source) }

  package var computedValue: DataTemplate? { data }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    try body(.value, data)
  }
}
