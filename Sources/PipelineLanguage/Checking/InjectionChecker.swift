import Expressions
import Values

extension PipelineChecker {
  /// Checks the injected values against the operation's requirement.
  func checkInjection(of operation: OperationDraft, _ types: [ValueType]) {
    let definition = operation.definition
    if definition.stdin != nil, operation.automaticInjection != nil || operation.injectedName != nil {
      reader.error(
        .stdinTaken,
        "\(operation.title) has both 'stdin' and an automatic injection, which arrives on standard input",
        at: operation.injectRange ?? operation.nameRange, fix: "give the injected value a name, or remove 'stdin'")
    }
    if let required = definition.requires {
      checkInjection(of: operation, types, required: required, by: "\(operation.title) requires")
    }
  }

  /// Checks the injected values against the type that `owner` requires.
  func checkInjection(
    of operation: OperationDraft, _ types: [ValueType], required: ValueType, by owner: String
  ) {
    guard let range = operation.injectRange else {
      reader.error(
        .nothingInjected, "\(owner) \(Self.shown(required)), but nothing is injected", at: operation.nameRange,
        fix: "add 'inject'")
      return
    }
    // The readable part of an invalid injection does not show the intent.
    if operation.hasUnreadInjection { return }
    let found: ValueType
    let origin: String
    if let name = operation.injectedName?.name {
      guard let target = index(of: name), resultTypes[target] != .none else { return }
      (found, origin) = (resultTypes[target], "'\(name)' gives")
    } else if let value = operation.automaticInjection {
      (found, origin) = (TypeInference.type(of: value, siteTypes: types), "'inject' gives")
    } else {
      let fields = operation.namedInjections.map { injection in
        ValueType.Field(name: injection.name, type: TypeInference.type(of: injection.value, siteTypes: types))
      }
      (found, origin) = (.object(fields), "'inject' gives")
    }
    let refusal = refusal(of: operation, required)
    guard case .no(let reason) = refusal.map({ .no(reason: $0) }) ?? required.accepts(found) else { return }
    reader.error(
      .typeMismatch,
      "\(owner) \(Self.shown(required)), but \(origin) \(Self.shown(found))\(Self.detail(reason))",
      at: range, fix: Self.literalFix(operation, required))
  }

  /// Returns the reason that the text output of a process without a declared result does not meet the requirement.
  private func refusal(of operation: OperationDraft, _ required: ValueType) -> String? {
    if let name = operation.injectedName?.name { return refusal(ofResultOf: name, as: required) }
    if let value = operation.automaticInjection { return refusal(of: value, as: required) }
    guard case .object(let fields) = required else { return nil }
    return operation.namedInjections.lazy.compactMap { name, value in
      fields.first { $0.name == name }.flatMap { field in
        self.refusal(of: value, as: field.type).map { "in '\(name)', \($0)" }
      }
    }.first
  }

  /// Returns a fix for a number or boolean that is text because it was not written as an expression.
  private static func literalFix(_ operation: OperationDraft, _ required: ValueType) -> String? {
    guard case .object(let fields) = required else { return nil }
    for (name, value) in operation.namedInjections {
      guard case .literal = value.data, let text = value.node.text, let scalar = value.node.coreScalar,
        let field = fields.first(where: { $0.name == name })
      else { continue }
      switch (field.type, scalar) {
      case (.int, .int), (.number, .int), (.number, .double), (.bool, .bool):
        return "without '${{ }}' it is text; write '\(name): ${{ \(text) }}'"
      default: continue
      }
    }
    return nil
  }

  /// Reports references to the results of operations that have none.
  func checkNoResults(of operation: OperationDraft) {
    if let injected = operation.injectedName, let target = index(of: injected.name), resultTypes[target] == .none {
      reportNoResult(of: target, at: injected.node.range)
    }
    for site in operation.sites {
      var withDefault: Set<String>?
      for reference in site.references where reference.context == "results" {
        guard let name = reference.path.first, let target = index(of: name), resultTypes[target] == .none else {
          continue
        }
        if withDefault == nil { withDefault = site.resultsWithDefault }
        guard withDefault?.contains(name.lowercased()) == false else { continue }
        reportNoResult(
          of: target, at: reader.range(in: site.node, offset: reference.position - 1, length: reference.length))
      }
    }
  }

  private func reportNoResult(of target: Int, at range: SourceRange) {
    let operation = draft.operations[target]
    let name = operation.definition.name
    let reason = operation.actionKey?.kind.reasonForNoResult(of: operation) ?? "it declares 'result: none'"
    reader.error(
      .noResult, "'\(name)' has no result: \(reason)", at: range,
      fix: "to run after it, use 'needs: \(name)'")
  }
}
