import Expressions
import Values

// A process without a declared result yields text, a list or an object: its output is never a number or a boolean.
extension PipelineChecker {
  /// Reports undeclared results where text behaves differently from the number or boolean that was probably intended.
  ///
  /// Compared with a boolean, the text `true` becomes NaN, as in GitHub Actions, and so equals neither; every nonempty text counts as true.
  func checkUndeclaredResults(_ site: ExpressionSite, of operation: OperationDraft?, in environment: OperationTypes) {
    switch site.body {
    case .template(let template):
      for (expression, offset) in template.expressions {
        checkUndeclaredResults(expression, at: offset, site, of: operation, environment)
      }
    case .part(let template, let start):
      for (expression, offset) in template.expressions {
        checkUndeclaredResults(expression, at: offset + start, site, of: operation, environment)
      }
    case .expression(let expression, let start):
      checkUndeclaredResults(expression, at: start, site, of: operation, environment)
    }
  }

  private func checkUndeclaredResults(
    _ expression: Expression, at offset: Int, _ site: ExpressionSite, of operation: OperationDraft?,
    _ environment: OperationTypes
  ) {
    guard expression.references.contains(where: { $0.context == "results" }) else { return }
    let program = expression.storage.program
    func range(of node: ExpressionProgram.Node) -> SourceRange {
      reader.range(in: site.node, offset: Int(node.start) - 1 + offset, length: max(1, Int(node.end - node.start)))
    }
    for node in program.nodes {
      switch node.kind {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
        for (side, other) in [(node.first, node.second), (node.second, node.first)] {
          guard let name = undeclaredResult(side, of: program), isTruthValue(other, of: program, environment) else {
            continue
          }
          reader.warning(
            .undeclaredResult,
            "'\(name)' declares no result, so this compares its text with true or false, and 'true' equals neither",
            at: range(of: node), fix: "add 'result: bool' to '\(name)'")
        }
      case .add, .subtract, .multiply, .divide, .remainder:
        for operand in [node.first, node.second] {
          guard let name = undeclaredResult(operand, of: program) else { continue }
          reader.error(
            .typeMismatch,
            "'\(node.kind.symbol)' computes with numbers, but '\(name)' declares no result, so its result is text",
            at: range(of: program.nodes[Int(operand)]), fix: "add 'result: number' or 'result: int' to '\(name)'")
        }
      case .property where program.names[Int(node.second)].lowercased() == "artifacts":
        guard let name = undeclaredResult(node.first, of: program), let index = index(of: name),
          draft.operations[index].keepsArtifacts
        else { continue }
        reader.warning(
          .undeclaredResult, "this is a part of what '\(name)' prints; the files that it keeps are not in its result",
          at: range(of: node), fix: "write 'artifacts\(ValueType.step(to: name))'")
      default: continue
      }
    }
    // A condition that reads outcomes may test whether there is a result at all, as `until` may.
    if site.use == .when, !expression.looksAtOutcomes {
      for condition in conditions(of: program) {
        guard let name = undeclaredResult(condition, of: program), name != operation?.definition.name,
          index(of: name).map({ draft.operations[$0].definition.allowFailure }) == false
        else { continue }
        reader.warning(
          .undeclaredResult,
          "'\(name)' declares no result, so this is true for any non-empty text, even 'false'",
          at: range(of: program.nodes[Int(condition)]), fix: "add 'result: bool' to '\(name)', or compare it with ''")
      }
    }
  }

  /// Returns the operation without a declared result whose text is the entire value of a node; nil if there is none.
  private func undeclaredResult(_ index: Int32, of program: ExpressionProgram) -> String? {
    let node = program.nodes[Int(index)]
    guard node.kind == .member, program.names[Int(node.first)].lowercased() == "results" else { return nil }
    return undeclaredResult(named: program.names[Int(node.second)])
  }

  /// Returns the operation's own spelling of `name` if its result is its printed text; otherwise nil.
  private func undeclaredResult(named name: String) -> String? {
    guard let index = index(of: name) else { return nil }
    let operation = draft.operations[index]
    guard operation.definition.result == nil, operation.resultRange == nil, operation.definition.loop == nil,
      operation.actionKey?.kind.undeclaredResult == .printed
    else { return nil }
    return operation.definition.name
  }

  /// Returns the operands of a condition whose truth value it tests directly.
  private func conditions(of program: ExpressionProgram) -> [Int32] {
    var found: [Int32] = []
    var open = [program.root]
    while let next = open.popLast() {
      let node = program.nodes[Int(next)]
      switch node.kind {
      case .not: open.append(node.first)
      case .and: open += program.children(of: node)
      // Operands before the last may be missing, because the later ones are defaults.
      case .or: open += program.children(of: node).suffix(1)
      default: found.append(next)
      }
    }
    return found
  }

  private func isTruthValue(_ index: Int32, of program: ExpressionProgram, _ environment: OperationTypes) -> Bool {
    let node = program.nodes[Int(index)]
    switch node.kind {
    case .literal:
      if case .bool? = program.literal(index) { return true }
      return false
    case .not, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: return true
    case .member:
      guard case .members(let member, _)? = environment.type(of: program.names[Int(node.first)]) else { return false }
      return member(program.names[Int(node.second)])?.type == .bool
    default: return false
    }
  }

  /// Returns the reason that a type cannot accept a value that is the text of a process without a declared result; nil if it can.
  func refusal(of value: PlacedData?, as type: ValueType) -> String? {
    guard case .template(let template)? = value?.data, let expression = template.wholeExpression else { return nil }
    let program = expression.storage.program
    return undeclaredResult(program.root, of: program).flatMap { refusal(ofResultOf: $0, as: type) }
  }

  /// Returns the reason that a type cannot accept the whole result of the operation `name`; nil if it can.
  func refusal(ofResultOf name: String, as type: ValueType) -> String? {
    guard type == .int || type == .number || type == .bool, let name = undeclaredResult(named: name) else { return nil }
    return "'\(name)' declares no result, so its result is text; add 'result: \(type)' to it"
  }
}
