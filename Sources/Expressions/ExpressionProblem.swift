/// A finding of the checker. Every finding is an error.
public struct ExpressionProblem: Sendable, Hashable {
  /// The position in the text of the expression (or of the template), from 1, in Unicode scalars.
  public var position: Int
  /// The length of the affected text in Unicode scalars, at least 1.
  public var length: Int
  /// A stable, kebab-case identifier, such as `unknown-member`.
  public var code: String
  /// The problem, as one sentence without a full stop.
  public var message: String
  /// A suggested fix, such as `did you mean 'results.fetch'?`.
  public var fix: String?

  /// Creates a finding at `position`.
  package init(position: Int, length: Int, code: ExpressionCode, _ message: String, fix: String? = nil) {
    self.position = position
    self.length = length
    self.code = code.rawValue
    self.message = message
    self.fix = fix
  }
}
