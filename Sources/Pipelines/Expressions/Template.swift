/// Text with expressions in it: `release-${{ params.version }}`.
public struct Template: Sendable, Hashable {
  /// One stretch of a template.
  public enum Segment: Sendable, Hashable {
    /// Text that stands for itself.
    case literal(String)
    /// An expression; `offset` is how many Unicode scalars of the template's text come before the expression's own text.
    case expression(Expression, offset: Int)
  }

  /// The whole text, as it was read.
  public let text: String
  /// The stretches, in order. Empty for the empty text.
  public let segments: [Segment]

  /// Reads a template. What closes a `${{` is the first `}}` outside the expression's strings.
  ///
  /// - Throws: `ExpressionError`, whose position counts in the template's text.
  public static func parse(_ text: String) throws(ExpressionError) -> Template { Template(literal: text) }

  /// A template without expressions, also where `literal` holds `${{`.
  public init(literal: String) {
    text = literal
    segments = literal.isEmpty ? [] : [.literal(literal)]
  }

  /// The template `${{ expression }}`.
  public init(expression: Expression) {
    text = "${{ \(expression.text) }}"
    segments = [.expression(expression, offset: 4)]
  }

  /// The template's value: that of the expression where it is one `${{ }}` and nothing else, otherwise a string.
  ///
  /// In a string, lists and objects are written as compact JSON; everything else as GitHub Actions does.
  /// - Throws: `ExpressionError`, whose position counts in the template's text.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue { .null }

  /// Whether there is no expression in it.
  public var isLiteral: Bool {
    segments.allSatisfy { if case .literal = $0 { true } else { false } }
  }

  /// The expression, where the template is one `${{ }}` and nothing else.
  public var wholeExpression: Expression? {
    if segments.count == 1, case .expression(let expression, _) = segments[0] { expression } else { nil }
  }

  /// Every place that names a context, in the order of the text; positions count in the template's text.
  public var references: [ExpressionReference] { [] }

  /// Whether a status function is called in any of its expressions.
  public var usesStatusFunction: Bool { false }

  /// The operations whose result may be missing; see ``Expression/resultsWithDefault``. One that another segment names without a
  /// default is not among them.
  public var resultsWithDefault: Set<String> { [] }
}
