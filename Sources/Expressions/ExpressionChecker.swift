import Values

/// Finds the mistakes in an expression that can be known before it is evaluated, and the type of its value.
///
/// Its codes are `unknown-context`, `unknown-member`, `no-members` (a member of what is no object), `never-equal`, `no-order`,
/// `argument-type`, `index-type`, `format-string`, `invalid-json` and `division-by-zero`. What it cannot know it lets pass as `json`; after one mistake in
/// a path it is silent about the rest of the path.
public enum ExpressionChecker {
  /// The type of `expression` in `environment`, and everything that is wrong with it, in the order of the text.
  ///
  /// Where the type cannot be known it is `json`; that of `null` is `none`. A member that may be missing counts as being there.
  public static func check(
    _ expression: Expression, in environment: some TypeEnvironment
  ) -> (type: ValueType, problems: [ExpressionProblem]) {
    var check = ExpressionTypeCheck(expression, environment)
    let type = check.infer(expression.storage.program.root).type
    return (type, check.problems.sorted { $0.position < $1.position })
  }

  /// The type of `template` in `environment` (`string`, unless it is one `${{ }}` and nothing else), and everything that is wrong
  /// with its expressions; positions count in the template's text.
  public static func check(
    _ template: Template, in environment: some TypeEnvironment
  ) -> (type: ValueType, problems: [ExpressionProblem]) {
    var types: [ValueType] = []
    var problems: [ExpressionProblem] = []
    for (expression, offset) in template.expressions {
      let found = check(expression, in: environment)
      types.append(found.type)
      for var problem in found.problems {
        problem.position += offset
        problems.append(problem)
      }
    }
    return (template.wholeExpression == nil ? .string : types.first ?? .string, problems)
  }
}
