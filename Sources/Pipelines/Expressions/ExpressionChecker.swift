/// One finding of the checker. All of them are errors.
public struct ExpressionProblem: Sendable, Hashable {
  /// Where in the expression's text (for a template: in the template's), from 1, in Unicode scalars.
  public var position: Int
  /// How many Unicode scalars it concerns, at least 1.
  public var length: Int
  /// A stable, kebab-case identifier, such as `unknown-member`.
  public var code: String
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// What to do, such as `did you mean 'results.fetch'?`.
  public var fix: String?

  /// A finding at `position`.
  public init(position: Int, length: Int, code: String, _ message: String, fix: String? = nil) {
    self.position = position
    self.length = length
    self.code = code
    self.message = message
    self.fix = fix
  }
}

/// Finds the mistakes in an expression that can be known before it is evaluated, and the type of its value.
public enum ExpressionChecker {
  /// The type of `expression` in `environment`, and everything that is wrong with it, in the order of the text.
  ///
  /// Where the type cannot be known it is `json`.
  public static func check(
    _ expression: Expression, in environment: some TypeEnvironment
  ) -> (type: ValueType, problems: [ExpressionProblem]) { (.json, []) }

  /// The type of `template` in `environment` (`string`, unless it is one `${{ }}` and nothing else), and everything that is wrong
  /// with its expressions; positions count in the template's text.
  public static func check(
    _ template: Template, in environment: some TypeEnvironment
  ) -> (type: ValueType, problems: [ExpressionProblem]) { (.json, []) }
}
