import Values

extension ExpressionEvaluation {
  /// Returns the result of `+ - * / %`. Whole numbers stay exact, except that a quotient is a double.
  func computed(
    _ node: ExpressionProgram.Node, _ left: JSONValue, _ right: JSONValue
  ) throws(ExpressionError) -> JSONValue {
    if case .int(let left) = left, case .int(let right) = right, node.kind != .divide {
      return .int(try whole(node, left, right))
    }
    let (dividend, divisor) = (try number(left, node.first, node), try number(right, node.second, node))
    let result: Double
    switch node.kind {
    case .add: result = dividend + divisor
    case .subtract: result = dividend - divisor
    case .multiply: result = dividend * divisor
    default:
      guard divisor != 0 else { throw Self.divisionByZero(node) }
      result = node.kind == .divide ? dividend / divisor : dividend.truncatingRemainder(dividingBy: divisor)
    }
    // A run stores its values as JSON, which has neither infinities nor NaN.
    guard result.isFinite else { throw Self.tooLarge(node, "does not give a finite number") }
    return .double(result)
  }

  private func whole(
    _ node: ExpressionProgram.Node, _ left: Int64, _ right: Int64
  ) throws(ExpressionError) -> Int64 {
    let result: (partialValue: Int64, overflow: Bool)
    switch node.kind {
    case .add: result = left.addingReportingOverflow(right)
    case .subtract: result = left.subtractingReportingOverflow(right)
    case .multiply: result = left.multipliedReportingOverflow(by: right)
    default:
      guard right != 0 else { throw Self.divisionByZero(node) }
      // The remainder of a division by -1 is 0; computing it for the smallest integer would overflow.
      return right == -1 ? 0 : left % right
    }
    guard !result.overflow else { throw Self.tooLarge(node, "gives a whole number of more than 64 bits") }
    return result.partialValue
  }

  private func number(
    _ value: JSONValue, _ operand: Int32, _ node: ExpressionProgram.Node
  ) throws(ExpressionError) -> Double {
    let fix: String?
    switch value {
    case .int(let value): return Double(value)
    case .double(let value): return value
    case .null: fix = "give a default, as in '(x || 0)'"
    case .string where node.kind == .add: fix = "texts are joined with format('{0}{1}', …)"
    case .string: fix = "declare the result with 'result: number', or read it with fromJSON(…)"
    default: fix = nil
    }
    throw ExpressionError(
      .argumentType, "'\(node.kind.symbol)' computes with numbers, not with \(value.kind)", fix: fix
    ).placed(at: program.nodes[Int(operand)])
  }

  private static func divisionByZero(_ node: ExpressionProgram.Node) -> ExpressionError {
    ExpressionError(.divisionByZero, "this divides by zero").placed(at: node)
  }

  private static func tooLarge(_ node: ExpressionProgram.Node, _ reason: String) -> ExpressionError {
    ExpressionError(.numberTooLarge, "'\(node.kind.symbol)' \(reason)").placed(at: node)
  }
}

extension ExpressionProgram.Kind {
  /// The symbol of an arithmetic operator.
  package var symbol: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    default: "%"
    }
  }
}
