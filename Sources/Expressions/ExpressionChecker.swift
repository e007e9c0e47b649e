import Values

/// Finds the mistakes in an expression that can be detected before it is evaluated, and the type of its value.
///
/// Its codes are `unknown-context`, `unknown-member`, `no-members` (a member of a value that is not an object),
/// `never-equal`, `no-order`, `argument-type`, `index-type`, `format-string`, `invalid-json` and `division-by-zero`.
/// Anything it cannot determine is accepted as `json`; after a mistake in a path, the rest of the path is not checked.
public enum ExpressionChecker {
  /// Returns the type of `expression` in `environment` and all its problems, in the order of the text.
  ///
  /// A type that cannot be determined is `json`; that of `null` is `none`. A member that may be missing is assumed to exist.
  public static func check(
    _ expression: Expression, in environment: some TypeEnvironment
  ) -> (type: ValueType, problems: [ExpressionProblem]) {
    var check = ExpressionTypeCheck(expression, environment)
    let type = check.infer(expression.storage.program.root).type
    return (type, check.problems.sorted { $0.position < $1.position })
  }

  /// Returns the type of `template` in `environment` (`string`, unless it consists of a single `${{ }}`) and all
  /// problems of its expressions; positions refer to the template's text.
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
