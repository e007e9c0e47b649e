/// The stable codes of ``ExpressionError`` and ``ExpressionProblem``.
package enum ExpressionCode: String, CaseIterable, Sendable {
  // Parsing
  case syntax = "expression-syntax"
  case notClosed = "expression-not-closed"
  case tooLong = "expression-too-long"
  case tooDeep = "expression-too-deep"
  case unknownFunction = "unknown-function"
  case argumentCount = "argument-count"

  // Checking
  case unknownContext = "unknown-context"
  case unknownMember = "unknown-member"
  case noMembers = "no-members"
  case indexType = "index-type"
  case argumentType = "argument-type"
  case formatString = "format-string"
  case invalidJSON = "invalid-json"
  case neverEqual = "never-equal"
  case noOrder = "no-order"

  // Evaluation
  case tooLarge = "expression-too-large"
  case noFiles = "no-files"
  case divisionByZero = "division-by-zero"
  case numberTooLarge = "number-too-large"
}
