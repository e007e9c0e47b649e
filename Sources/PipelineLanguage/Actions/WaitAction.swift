import Expressions
import Values

/// The action `wait`: waits for a duration, an instant or a specification.
extension OperationDefinition.Wait: ActionKind {
  package var key: ActionKey { .wait }
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

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { .none }
}

/// The keys of the long form of `wait`, of which exactly one is given.
enum WaitKey: String, CaseIterable, Sendable {
  case `for`, until

  static let table = KeyTable<WaitKey>(
    "'wait'",
    [
      KeyRow("for", .template, "The duration, or the condition over specifications, to wait for."),
      KeyRow("until", .template, "The instant to wait until, such as `2026-01-31T08:00:00Z`."),
    ])
}

extension OperationDefinition.Wait: CheckableAction {
  /// The site of its expressions.
  fileprivate static let place = ExpressionSite.Use.action(ExpressionSite.ActionPlace(key: .wait, visibility: .shown))

  static var rows: [KeyRow] {
    [
      KeyRow(
        "wait", .anyOf([.template, .oneKey(WaitKey.table.rows)]),
        "Waits for a duration, until an instant, or until a condition over specifications is true.")
    ]
  }

  static var tables: [KeySection] { [WaitKey.table.section()] }

  static var takes: Set<OperationKey> { [] }

  static var share: DefaultsShare { .nothing }
  static var takesRequirementAsData: Bool { false }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readWait(node, into: draft)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType { .none }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? { "it only waits" }

  /// Checks that the type of a computed wait is valid.
  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) {
    guard let wait = operation.operand, case .wait(let form) = operation.definition.action else { return }
    guard case .template = wait.data else { return }
    let type = TypeInference.type(of: wait, siteTypes: types)
    let (wanted, name): (ValueType, String)
    switch form {
    case .duration: (wanted, name) = (.duration, "a duration")
    case .until: (wanted, name) = (.timestamp, "an instant")
    case .specification: return
    }
    if type == .string || type == .json || type == wanted { return }
    checker.reader.error(
      .typeMismatch, "'wait' needs \(name), found \(PipelineChecker.shown(type))", at: wait.node.range)
  }
}

extension DocumentReader {
  fileprivate func readWait(_ node: YAMLNode, into draft: OperationDraft) {
    guard node.entries != nil else {
      if readsAsFormula(node) { return readSpecificationWait(node, "'wait'", into: draft) }
      if let read = placedTemplate(node, "'wait'", OperationDefinition.Wait.place, into: &draft.sites) {
        setWait(.duration(read.template), read.placed, into: draft)
      }
      return
    }
    var forms: [WaitKey] = []
    readKeys(of: node, WaitKey.table) { key, _, entry in
      forms.append(key)
      if key == .for, readsAsFormula(entry.value) { return readSpecificationWait(entry.value, "'for'", into: draft) }
      guard
        let read = placedTemplate(entry.value, "'\(key.rawValue)'", OperationDefinition.Wait.place, into: &draft.sites)
      else { return }
      setWait(key == .for ? .duration(read.template) : .until(read.template), read.placed, into: draft)
    }
    if forms.count != 1 {
      wrongForm(node, "'wait'", needs: "exactly one of 'for' and 'until'")
    }
  }

  /// Returns whether the text starts like a condition: durations start with a digit.
  private func readsAsFormula(_ node: YAMLNode) -> Bool {
    guard !isNull(node),
      let first = node.text?.unicodeScalars.first(where: { !ExpressionLexer.isSpace($0) })
    else { return false }
    return first == "!" || first == "(" || first == "_" || ("a"..."z").contains(first) || ("A"..."Z").contains(first)
  }

  private func readSpecificationWait(_ node: YAMLNode, _ what: String, into draft: OperationDraft) {
    guard let formula = formula(node, what, .wait, of: draft.title) else { return }
    draft.definition.action = .wait(.specification(formula))
  }

  private func setWait(_ wait: OperationDefinition.Wait, _ placed: PlacedData, into draft: OperationDraft) {
    draft.operand = placed
    draft.definition.action = .wait(wait)
    guard case .literal(.string(let text)) = placed.data else { return }
    switch wait {
    case .specification: break
    case .duration:
      guard DurationNotation.parse(text) == nil else { return }
      if TimestampNotation.parse(text) != nil {
        error(
          .invalidDuration, "'wait' needs a duration, found the instant '\(text)'", at: placed.node.range,
          fix: "write 'wait: {until: \(text)}'")
      } else {
        invalidDuration(text, "'wait'", at: placed.node.range)
      }
    case .until:
      guard TimestampNotation.parse(text) == nil else { return }
      error(
        .invalidTimestamp, "'until' needs an instant, found '\(text)'", at: placed.node.range,
        fix: "write it like '2026-01-31T08:00:00Z'")
    }
  }
}
