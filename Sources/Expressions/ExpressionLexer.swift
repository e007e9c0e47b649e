/// One token of an expression. Positions are indices into the scalars of the text.
struct ExpressionToken {
  enum Kind: Equatable {
    case end
    case number(Double, isWhole: Bool)
    case string(String)
    /// A word that can name a context, a member or a function, or one of `null true false NaN Infinity`.
    case word
    case comparison(ExpressionProgram.Kind)
    /// `+ - * / %` with white space on both sides, after a value.
    case arithmetic(ExpressionProgram.Kind)
    case and, or, not
    case open, close, openIndex, closeIndex, comma, point, star
    /// Text that cannot occur in an expression, with a suggested fix.
    case wrong(message: String?, fix: String?)
  }

  var kind: Kind
  var start: Int
  var end: Int
}

/// Splits an expression into tokens, as GitHub Actions does.
package struct ExpressionLexer {
  let text: [Unicode.Scalar]
  private(set) var at = 0

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  /// Returns the text between two positions.
  func spelling(_ range: Range<Int>) -> String {
    String(scalars: text[range])
  }

  /// Returns the next token. A point starts a number only where a value may stand, as in `.5`; otherwise it accesses a
  /// member. Likewise, a sign there belongs to a number; otherwise it adds or subtracts.
  mutating func next(expectsValue: Bool) -> ExpressionToken {
    skipSpace()
    let start = at
    guard at < text.count else { return ExpressionToken(kind: .end, start: start, end: start) }
    if !expectsValue, let operation = Self.arithmetic(text[at]) {
      let kind: ExpressionToken.Kind = isApart ? .arithmetic(operation) : text[at] == "*" ? .star : glued(text[at])
      return ExpressionToken(kind: single(kind), start: start, end: at)
    }
    let kind: ExpressionToken.Kind
    switch text[at] {
    case "(": kind = single(.open)
    case ")": kind = single(.close)
    case "[": kind = single(.openIndex)
    case "]": kind = single(.closeIndex)
    case ",": kind = single(.comma)
    case "*": kind = single(.star)
    case "'": kind = string()
    case "!": kind = double("=") ? .comparison(.notEqual) : single(.not)
    case "<": kind = double("=") ? .comparison(.lessOrEqual) : single(.comparison(.less))
    case ">": kind = double("=") ? .comparison(.greaterOrEqual) : single(.comparison(.greater))
    case "=": kind = double("=") ? .comparison(.equal) : single(.wrong(message: nil, fix: "equality is written '=='"))
    case "&": kind = double("&") ? .and : single(.wrong(message: nil, fix: "'and' is written '&&'"))
    case "|": kind = double("|") ? .or : single(.wrong(message: nil, fix: "'or' is written '||'"))
    case "." where !expectsValue: kind = single(.point)
    case ".", "-", "+", "0"..."9": kind = number()
    default: kind = word()
    }
    return ExpressionToken(kind: kind, start: start, end: at)
  }

  /// Returns the arithmetic operator that the scalar stands for, or nil if it is not one.
  private static func arithmetic(_ scalar: Unicode.Scalar) -> ExpressionProgram.Kind? {
    switch scalar {
    case "+": .add
    case "-": .subtract
    case "*": .multiply
    case "/": .divide
    case "%": .remainder
    default: nil
    }
  }

  /// Whether the current scalar has white space or an end of the text on both sides. Names and numbers may contain a
  /// `-`, as in GitHub Actions, so an operator must stand alone.
  private var isApart: Bool {
    (at == 0 || Self.isSpace(text[at - 1])) && (at + 1 == text.count || Self.isSpace(text[at + 1]))
  }

  /// Returns the error for an arithmetic operator without spaces around it.
  private func glued(_ scalar: Unicode.Scalar) -> ExpressionToken.Kind {
    .wrong(message: nil, fix: "write '\(scalar)' with a space on each side, as in 'a \(scalar) b'")
  }

  /// Returns the error for an arithmetic operator inside a word or number that is neither.
  private func glued(in range: Range<Int>) -> ExpressionToken.Kind {
    let inside = text[range].dropFirst().first { Self.arithmetic($0) != nil }
    return inside.map(glued) ?? .wrong(message: nil, fix: nil)
  }

  /// Returns whether the next token is an opening parenthesis.
  mutating func isCallNext() -> Bool {
    skipSpace()
    return at < text.count && text[at] == "("
  }

  package static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x80 ? scalar == " " || (0x09...0x0D).contains(scalar.value) : scalar.properties.isWhitespace
  }

  private mutating func skipSpace() {
    while at < text.count, Self.isSpace(text[at]) { at += 1 }
  }

  private mutating func single(_ kind: ExpressionToken.Kind) -> ExpressionToken.Kind {
    at += 1
    return kind
  }

  /// Consumes the current scalar and the next one if the latter is `second`; returns whether it did.
  private mutating func double(_ second: Unicode.Scalar) -> Bool {
    guard at + 1 < text.count, text[at + 1] == second else { return false }
    at += 2
    return true
  }

  private mutating func string() -> ExpressionToken.Kind {
    at += 1
    var start = at
    var value = ""
    while at < text.count {
      guard text[at] == "'" else {
        at += 1
        continue
      }
      value += String(scalars: text[start..<at])
      at += 1
      guard at < text.count, text[at] == "'" else { return .string(value) }
      start = at
      at += 1
    }
    return .wrong(message: "the string is not closed", fix: "a quote inside a string is written twice")
  }

  private static func isBoundary(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "(", "[", ")", "]", ",", ".", "!", ">", "<", "=", "&", "|": true
    default: isSpace(scalar)
    }
  }

  private mutating func number() -> ExpressionToken.Kind {
    let start = at
    repeat { at += 1 } while at < text.count && (!Self.isBoundary(text[at]) || text[at] == ".")
    let spelling = spelling(start..<at)
    let value = spelling.expressionNumber
    guard !value.isNaN else {
      let isSign = text[start] == "-" || text[start] == "+"
      return isSign ? .wrong(message: nil, fix: Self.signFix) : glued(in: start..<at)
    }
    let isWhole = text[start..<at].allSatisfy { $0 != "." && $0 != "e" && $0 != "E" } || spelling.hasPrefix("0x")
    return .number(value, isWhole: isWhole)
  }

  private mutating func word() -> ExpressionToken.Kind {
    let first = text[at]
    if first == "\"" { return doubleQuoted() }
    let start = at
    repeat { at += 1 } while at < text.count && !Self.isBoundary(text[at])
    let isName = text[start..<at].enumerated().allSatisfy { index, scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "_": true
      case "0"..."9", "-": index > 0
      default: false
      }
    }
    if isName { return .word }
    switch first {
    case "?": return .wrong(message: nil, fix: "a choice is written case(condition, value, default)")
    case "$": return .wrong(message: nil, fix: "inside an expression, names stand without '${{ }}'")
    default: return glued(in: start..<at)
    }
  }

  private static let signFix = "a sign belongs to a number, as in -1; what is subtracted is written '0 - a'"

  private mutating func doubleQuoted() -> ExpressionToken.Kind {
    at += 1
    while at < text.count, text[at] != "\"" { at += 1 }
    if at < text.count { at += 1 }
    return .wrong(message: "a string in double quotes", fix: "use single quotes")
  }
}

extension String {
  /// Creates text from `scalars`, encoded in one go: appending them one by one to a view costs several times as much.
  package init(scalars: ArraySlice<Unicode.Scalar>) {
    let isASCII = scalars.allSatisfy { $0.value < 0x80 }
    self.init(unsafeUninitializedCapacity: isASCII ? scalars.count : 4 * scalars.count) { buffer in
      var count = 0
      for scalar in scalars {
        if scalar.value < 0x80 {
          buffer[count] = UInt8(scalar.value)
          count += 1
        } else {
          for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            buffer[count] = byte
            count += 1
          }
        }
      }
      return count
    }
  }
}
