/// Why an expression cannot be read or evaluated.
public struct ExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A stable, kebab-case identifier, such as `expression-syntax`.
  public var code: String
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// Where in the text, from 1, in Unicode scalars; 0 while the place is not known.
  public var position: Int
  /// How many Unicode scalars it concerns, at least 1.
  public var length: Int
  /// What to do, such as `did you mean 'contains'?`.
  public var fix: String?

  /// A failure. Contexts that throw leave the place out: the evaluation fills in where they were asked.
  package init(_ code: ExpressionCode, _ message: String, position: Int = 0, length: Int = 1, fix: String? = nil) {
    self.init(otherCode: code.rawValue, message, position: position, length: length, fix: fix)
  }

  /// A failure with a code that is not of expressions themselves: that of the contexts, or of what the text is read for.
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
  /// The failure at the whole of `node`, unless its place is known already.
  func placed(at node: ExpressionProgram.Node) -> ExpressionError {
    guard position < 1 else { return self }
    var error = self
    error.position = Int(node.start)
    error.length = Int(node.end - node.start)
    return error
  }

  /// The failure with its place counted from `offset` scalars earlier.
  package func shifted(by offset: Int) -> ExpressionError {
    var error = self
    error.position += offset
    return error
  }
}
