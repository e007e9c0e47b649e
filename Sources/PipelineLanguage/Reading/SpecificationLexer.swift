import Expressions

/// Splits a condition into tokens. Positions are indices into the scalars of the text.
struct SpecificationLexer {
  struct Token {
    enum Kind: Equatable {
      case end, and, or, not, open, close
      /// A name, which contains dots if it names a plugin's offer.
      case name(String)
      /// A character that no condition can contain, with its fix.
      case wrong(fix: String?)
    }

    var kind: Kind
    var start: Int
    var end: Int
  }

  /// The argument of a built-in.
  struct Argument {
    var text: String
    /// The bounds of the text, without quotes and surrounding blanks.
    var start: Int
    var end: Int
    /// The number of scalars that the text lacks before its first `${{`: one for each doubled quote.
    var dropped = 0
  }

  /// The reason that an argument cannot be read.
  enum ArgumentFault: Error {
    /// The closing parenthesis is missing.
    case parenthesis
    /// The closing quote of this kind is missing.
    case quote(Unicode.Scalar)
    /// There is text after the closing quote.
    case behindQuote(Unicode.Scalar, at: Int)
  }

  let text: [Unicode.Scalar]
  private(set) var at = 0

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  func spelling(_ range: Range<Int>) -> String { String(scalars: text[range]) }

  mutating func next() -> Token {
    skipSpace()
    let start = at
    guard at < text.count else { return Token(kind: .end, start: start, end: start) }
    let kind: Token.Kind
    switch text[at] {
    case "(": kind = single(.open)
    case ")": kind = single(.close)
    case "!":
      kind = single(.not)
      if at < text.count, text[at] == "=" {
        return wrong(from: start, "a condition on specifications cannot compare values: use 'when' for that")
      }
    case "&": return double("&", .and, from: start, "'and' is written '&&'")
    case "|": return double("|", .or, from: start, "'or' is written '||'")
    case "$" where at + 2 < text.count && text[at + 1] == "{" && text[at + 2] == "{":
      at += 2
      return wrong(
        from: start,
        "a condition on specifications is written without '${{ }}'; conditions on values belong under 'when'")
    case "=", "<", ">":
      return wrong(from: start, "a condition on specifications cannot compare values: use 'when' for that")
    case "a"..."z", "A"..."Z", "_", "0"..."9": kind = name()
    default: return wrong(from: start, nil)
    }
    return Token(kind: kind, start: start, end: at)
  }

  /// Consumes the opening parenthesis of an argument, if one follows.
  mutating func opensArgument() -> Token? {
    let before = at
    skipSpace()
    guard at < text.count, text[at] == "(" else {
      at = before
      return nil
    }
    at += 1
    return Token(kind: .open, start: at - 1, end: at)
  }

  /// Reads an argument up to and including its closing parenthesis.
  ///
  /// An argument is either bare, ending at the parenthesis, or in quotes of either kind, in which a quote of the same kind is doubled. `${{ }}` is
  /// part of the argument, whatever it contains.
  mutating func argument() throws(ArgumentFault) -> Argument {
    skipSpace()
    guard at < text.count else { throw .parenthesis }
    if text[at] == "'" || text[at] == "\"" { return try quoted() }
    let start = at
    guard skip(to: ")") else { throw .parenthesis }
    var end = at
    while end > start, ExpressionLexer.isSpace(text[end - 1]) { end -= 1 }
    at += 1
    return Argument(text: spelling(start..<end), start: start, end: end)
  }

  private mutating func quoted() throws(ArgumentFault) -> Argument {
    let quote = text[at]
    at += 1
    var argument = Argument(text: "", start: at, end: at)
    var part = at
    var hasExpression = false
    while true {
      guard skip(to: quote) else { throw .quote(quote) }
      let piece = spelling(part..<at)
      argument.text += piece
      hasExpression = hasExpression || piece.contains("${{")
      guard at + 1 < text.count, text[at + 1] == quote else { break }
      if !hasExpression { argument.dropped += 1 }
      argument.text.unicodeScalars.append(quote)
      at += 2
      part = at
    }
    argument.end = at
    at += 1
    skipSpace()
    guard at < text.count else { throw .parenthesis }
    guard text[at] == ")" else { throw .behindQuote(quote, at: at) }
    at += 1
    return argument
  }

  /// Advances to the next `scalar` outside `${{ }}`; returns whether there is one.
  private mutating func skip(to scalar: Unicode.Scalar) -> Bool {
    while at < text.count, text[at] != scalar {
      if text[at] == "$", at + 2 < text.count, text[at + 1] == "{", text[at + 2] == "{" { skipExpression() }
      at += 1
    }
    return at < text.count
  }

  /// Advances to the last scalar of the `${{ }}` that starts here; does not move if it is not closed.
  private mutating func skipExpression() {
    var isInString = false
    var place = at + 3
    while place + 1 < text.count {
      if text[place] == "'" { isInString.toggle() }
      if !isInString, text[place] == "}", text[place + 1] == "}" {
        at = place + 1
        return
      }
      place += 1
    }
  }

  private mutating func skipSpace() {
    while at < text.count, ExpressionLexer.isSpace(text[at]) { at += 1 }
  }

  private mutating func single(_ kind: Token.Kind) -> Token.Kind {
    at += 1
    return kind
  }

  private mutating func double(
    _ second: Unicode.Scalar, _ kind: Token.Kind, from start: Int, _ fix: String
  ) -> Token {
    at += 1
    guard at < text.count, text[at] == second else { return Token(kind: .wrong(fix: fix), start: start, end: at) }
    at += 1
    return Token(kind: kind, start: start, end: at)
  }

  private mutating func wrong(from start: Int, _ fix: String?) -> Token {
    at += 1
    return Token(kind: .wrong(fix: fix), start: start, end: at)
  }

  private mutating func name() -> Token.Kind {
    let start = at
    while at < text.count {
      switch text[at] {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": at += 1
      default: return .name(spelling(start..<at))
      }
    }
    return .name(spelling(start..<at))
  }
}
