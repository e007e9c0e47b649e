import Expressions

/// `wait`: lets time pass, or waits for a specification.
extension OperationDefinition.Wait: ActionKind {
  package var keyword: String { "wait" }
  package var isWork: Bool { false }
  package var secretReach: SecretReach { .nowhere }

  package var summary: String {
    switch self {
    case .duration(let template): TerminalText.oneLine(template.text)
    case .until(let template): "until " + TerminalText.oneLine(template.text)
    case .specification(let formula): "for " + TerminalText.oneLine(formula.text)
    }
  }

  package var specification: SpecificationFormula? {
    if case .specification(let formula) = self { formula } else { nil }
  }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    switch self {
    case .duration(let template), .until(let template): try body(.value, .template(template))
    case .specification: break
    }
  }
}
