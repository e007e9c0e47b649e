/// The reason why an expression cannot be parsed or evaluated.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable, kebab-case identifier, such as `expression-syntax`.
  public var code: String
  /// The problem, as one sentence without a full stop.
  public var message: String
  /// The position in the text, from 1, in Unicode scalars; 0 while it is not known.
  public var position: Int
  /// The length of the affected text in Unicode scalars, at least 1.
  public var length: Int
  /// A suggested fix, such as `did you mean 'contains'?`.
  public var fix: String?

  /// Creates a failure. Contexts that throw omit the position: the evaluation fills in that of the reference.
  package init(_ code: ExpressionCode, _ message: String, position: Int = 0, length: Int = 1, fix: String? = nil) {
    self.init(otherCode: code.rawValue, message, position: position, length: length, fix: fix)
  }

  /// Creates a failure with a code that is not one of expressions: that of a context, or of the text's intended use.
  public init(otherCode code: String, _ message: String, position: Int = 0, length: Int = 1, fix: String? = nil) {
    self.code = code
    self.message = message
    self.position = position
    self.length = length
    self.fix = fix
  }

  /// The message with its fix, such as `unknown function 'contain', did you mean 'contains'?`.
  public var description: String { fix.map { "\(message), \($0)" } ?? message }
}

extension ExpressionError {
  /// Returns the failure with all of `node` as its place, unless it already has one.
  func placed(at node: ExpressionProgram.Node) -> ExpressionError {
    guard position < 1 else { return self }
    var error = self
    error.position = Int(node.start)
    error.length = Int(node.end - node.start)
    return error
  }

  /// Returns the failure with its position moved `offset` scalars further.
  package func shifted(by offset: Int) -> ExpressionError {
    var error = self
    error.position += offset
    return error
  }
}
