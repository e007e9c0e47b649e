/// An expression that has been read: `results.count > 3 && params.notify`.
///
/// Grammar and semantics are those of GitHub Actions' expressions.
public struct Expression: Sendable, Hashable {
  /// The text it was read from.
  public let text: String

  /// Reads an expression.
  ///
  /// - Throws: `ExpressionError` with the place of what is wrong. Unknown contexts are no errors here; see ``ExpressionChecker``.
  public static func parse(_ text: String) throws(ExpressionError) -> Expression { Expression(text: text) }

  /// The expression's value in `contexts`.
  ///
  /// - Throws: What `contexts` throws, or an error of the expression's own, such as a text that `fromJSON` cannot read.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue { .null }

  /// Whether the expression's value counts as true: everything does but `false`, `0`, `-0`, `NaN`, `''` and null.
  ///
  /// - Throws: As ``evaluate(in:)``.
  public func isTruthy(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> Bool { false }

  /// Every place that names a context, in the order of the text.
  public var references: [ExpressionReference] { [] }

  /// Whether `success()`, `failure()`, `always()` or `cancelled()` is called anywhere in it.
  public var usesStatusFunction: Bool { false }

  /// The operations whose result may be missing: each `results.x` in the expression is followed by a default, as in `results.x || 0`.
  public var resultsWithDefault: Set<String> { [] }
}
