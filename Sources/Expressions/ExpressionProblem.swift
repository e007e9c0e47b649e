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
  package init(position: Int, length: Int, code: ExpressionCode, _ message: String, fix: String? = nil) {
    self.position = position
    self.length = length
    self.code = code.rawValue
    self.message = message
    self.fix = fix
  }
}
