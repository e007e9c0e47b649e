import Expressions

extension DocumentReader {
  /// Reads `inject`: an operation's name, one expression, or named values.
  func readInjection(_ node: YAMLNode, into draft: OperationDraft) {
    draft.injectRange = node.range
    switch node.content {
    case .scalar(let text, _):
      guard Self.expressionOffset(in: text) == nil else {
        guard let read = placedTemplate(node, "'inject'", .inject, into: &draft.sites) else {
          draft.hasUnreadInjection = true
          return
        }
        draft.definition.injection = .automatic(read.template)
        draft.automaticInjection = read.placed
        return
      }
      guard let name = self.text(node, "'inject'") else {
        draft.hasUnreadInjection = true
        return
      }
      draft.injectedName = (name, node)
      if let expression = Self.resultExpression(of: name) {
        draft.definition.injection = .automatic(Template(expression: expression))
      }
    case .mapping(let entries):
      var values: [(name: String, value: Template)] = []
      for entry in entries {
        let isAllowed = checkVariable(entry.key)
        guard let read = placedTemplate(entry.value, "'\(entry.name)'", .inject, into: &draft.sites) else {
          draft.hasUnreadInjection = true
          continue
        }
        draft.namedInjections.append((entry.name, read.placed))
        if isAllowed { values.append((entry.name, read.template)) }
      }
      draft.definition.injection = .named(values)
    case .sequence:
      draft.hasUnreadInjection = true
      wrongForm(
        node, "'inject'", needs: "an operation's name, an expression, or a mapping of names to values",
        fix: "give each value a name, such as 'inject: {total: ${{ results.count }}}'")
    }
  }

  /// Returns the expression `results.name`.
  private static func resultExpression(of name: String) -> Expression? {
    guard NameRule.operation.allows(name) else { return nil }
    return try? Expression.parse("results.\(name)")
  }
}
