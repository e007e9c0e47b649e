import Expressions
import Values

extension PipelineChecker {
  /// Warns of values that an interpreter would read as program text.
  ///
  /// `run` rejects every expression, because scripts contain none. A command's argument may contain one, and some arguments cannot be code.
  func checkProgramText(_ site: ExpressionSite, in environment: OperationTypes) {
    guard let use = site.interpreter, case .template(let template) = site.body else { return }
    for case .expression(let expression, let offset) in template.segments {
      // A secret here is already an error.
      guard !expression.references.isEmpty, !expression.references.contains(where: { $0.context == "secrets" }),
        Self.canBeCode(ExpressionChecker.check(expression, in: environment).type)
      else { continue }
      reader.warning(
        .expressionInCode, "'\(use.program)' runs this argument as code, and the value becomes part of it",
        at: reader.range(in: site.node, offset: offset, length: expression.text.unicodeScalars.count),
        fix: Self.safeSpelling(of: expression, for: use))
    }
  }

  /// Returns whether text of this type can be more than a number or one of the type's own words.
  private static func canBeCode(_ type: ValueType) -> Bool {
    switch type {
    case .int, .number, .bool, .duration, .size, .timestamp, .date, .none: false
    default: true
    }
  }

  private static func safeSpelling(of expression: Expression, for use: Interpreter.Use) -> String {
    guard let option = use.interpreter.option, let sample = use.interpreter.sample else {
      return #"name it with 'inject' or 'env', and read it as ENVIRON["name"]"#
    }
    let shown = expression.text.utf8.count > 60 || expression.text.contains("\n") ? "…" : expression.text
    return #"make it an argument after the code, as in [\#(use.program), \#(option), \#(sample), "${{ \#(shown) }}"]"#
  }
}
