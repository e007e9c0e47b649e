import Values

/// Parses an expression with two stacks, for operands and operators, so that no nesting of the text can overflow the call stack.
struct ExpressionParser {
  /// The maximum length, in UTF-16 code units of the text, as in GitHub Actions.
  static let maximumLength = 21_000

  /// An operator waiting for its right operand, or a bracket waiting to be closed.
  private enum Pending {
    case not
    case binary(ExpressionProgram.Kind)
    case group
    case index
    /// A list, with the number of elements before the current one.
    case list(Int)
    /// A call; the function is nil if it is unknown.
    case call(ExpressionFunction?, name: ExpressionToken, arguments: Int)

    /// The binding strength; brackets have 0, so that they are never reduced by an operator.
    var precedence: Int {
      switch self {
      case .not: 7
      case .binary(let kind): Pending.precedence(of: kind)
      default: 0
      }
    }

    static func precedence(of kind: ExpressionProgram.Kind) -> Int {
      switch kind {
      case .or: 1
      case .and: 2
      case .equal, .notEqual: 3
      case .add, .subtract: 5
      case .multiply, .divide, .remainder: 6
      default: 4
      }
    }
  }

  private var lexer: ExpressionLexer
  private var builder = ExpressionBuilder()
  private var operators: [(pending: Pending, token: ExpressionToken)] = []
  /// The most recent token, followed by the one before it.
  private var newest: ExpressionToken?
  private var previous: ExpressionToken?

  /// Returns the program of `text` and all problems, in the order of parsing. Parsing continues after an invalid call;
  /// any other mistake ends it, as the rest cannot be understood.
  static func read(_ text: String) -> (program: ExpressionProgram, problems: [ExpressionError]) {
    guard text.utf8.count <= maximumLength || text.utf16.count <= maximumLength else {
      let problem = ExpressionError(
        .tooLong, "the expression is longer than \(maximumLength) characters",
        position: maximumLength + 1)
      return (.mistake, [problem])
    }
    var parser = ExpressionParser(lexer: ExpressionLexer(text))
    do throws(ExpressionError) {
      let program = try parser.whole()
      return (program, parser.builder.problems)
    } catch {
      return (.mistake, parser.builder.problems + [error])
    }
  }

  private init(lexer: ExpressionLexer) {
    self.lexer = lexer
    operators.reserveCapacity(4)
  }

  private mutating func whole() throws(ExpressionError) -> ExpressionProgram {
    var expectsValue = true
    while true {
      let token = next(expectsValue: expectsValue)
      if expectsValue {
        expectsValue = try readValue(token)
      } else if token.kind == .end {
        break
      } else {
        expectsValue = try readOperator(token)
      }
    }
    while let (pending, token) = operators.popLast() {
      switch pending {
      case .group, .call: throw unexpectedEnd("expected ')'")
      case .index, .list: throw unexpectedEnd("expected ']'")
      default: try reduce(pending, token)
      }
    }
    return builder.program()
  }

  private mutating func next(expectsValue: Bool) -> ExpressionToken {
    let token = lexer.next(expectsValue: expectsValue)
    previous = newest
    newest = token
    return token
  }

  // MARK: Where a value may stand

  /// Parses the start of a value and returns whether a value must still follow.
  private mutating func readValue(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    switch token.kind {
    case .number(let value, let isWhole):
      // From 2^53 on, neighbouring integers share a double.
      let isExact = isWhole && abs(value) < 9_007_199_254_740_992
      try builder.pushLiteral(isExact ? .int(Int64(value)) : .double(value), token)
    case .string(let text): try builder.pushLiteral(.string(text), token)
    case .word: return try readWord(token)
    case .not:
      operators.append((.not, token))
      return true
    case .open:
      operators.append((.group, token))
      return true
    case .openIndex:
      operators.append((.list(0), token))
      return true
    case .closeIndex:
      guard previous?.kind == .openIndex, case .list(0)? = operators.last?.pending,
        let start = operators.popLast()?.token
      else { throw unexpected(token, "expected a value") }
      try builder.pushList(0, start: start, end: token)
    case .close:
      guard previous?.kind == .open, case .call(let function, let name, 0)? = operators.last?.pending else {
        throw unexpected(token, "expected a value")
      }
      operators.removeLast()
      try builder.pushCall(function, name: name, arguments: 0, end: token)
    case .star:
      guard previous?.kind == .openIndex, case .index? = operators.last?.pending else {
        throw unexpected(token, "expected a value")
      }
      let closing = next(expectsValue: false)
      guard closing.kind == .closeIndex else { throw unexpected(closing, "expected ']'") }
      operators.removeLast()
      try builder.pushFilter(token, end: closing.end)
    case .end:
      throw previous == nil
        ? ExpressionError(.syntax, "expected an expression", position: 1)
        : unexpectedEnd("expected a value")
    default: throw unexpected(token, "expected a value")
    }
    return false
  }

  private mutating func readWord(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    let word = lexer.spelling(token.start..<token.end)
    switch word {
    case "null": try builder.pushLiteral(.null, token)
    case "true": try builder.pushLiteral(.bool(true), token)
    case "false": try builder.pushLiteral(.bool(false), token)
    case "NaN": try builder.pushLiteral(.double(.nan), token)
    case "Infinity": try builder.pushLiteral(.double(.infinity), token)
    default:
      guard lexer.isCallNext() else {
        try builder.pushContext(word, token)
        return false
      }
      let function = ExpressionFunction.named(word)
      if function == nil {
        let near = NearestName.suggestion(for: word, among: ExpressionFunction.allCases.map(\.name))
        builder.note(
          ExpressionError(
            .unknownFunction, "unknown function '\(word)'", position: token.start + 1,
            length: token.end - token.start,
            fix: near.map { "did you mean '\($0)'?" }))
      }
      operators.append((.call(function, name: token, arguments: 0), next(expectsValue: true)))
      return true
    }
    return false
  }

  // MARK: After a value

  /// Parses the text after a value and returns whether another value must follow.
  private mutating func readOperator(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    switch token.kind {
    case .comparison(let kind), .arithmetic(let kind): return try readBinary(kind, token)
    case .and: return try readBinary(.and, token)
    case .or: return try readBinary(.or, token)
    case .point:
      try checkIndexable(token)
      let name = next(expectsValue: false)
      switch name.kind {
      case .word: try builder.pushProperty(lexer.spelling(name.start..<name.end), name, end: name.end)
      // A `*` between spaces is tokenised as a product.
      case .star, .arithmetic(.multiply): try builder.pushFilter(name, end: name.end)
      case .end: throw unexpectedEnd("expected a name")
      default: throw unexpected(name, "expected a name")
      }
      return false
    case .openIndex:
      try checkIndexable(token)
      operators.append((.index, token))
      return true
    case .close, .comma, .closeIndex:
      try reduceToBracket(for: token)
      return token.kind == .comma
    default: throw unexpected(token, "expected an operator")
    }
  }

  /// Throws if the operand before `.` or `[` is a literal: only contexts, members, calls and groups can have members.
  private func checkIndexable(_ token: ExpressionToken) throws(ExpressionError) {
    // A literal in parentheses is allowed, as in GitHub Actions.
    if builder.endsWithLiteral, previous?.kind != .close { throw unexpected(token, "a literal has no members") }
  }

  private mutating func readBinary(_ kind: ExpressionProgram.Kind, _ token: ExpressionToken) throws(ExpressionError)
    -> Bool
  {
    while let top = operators.last, top.pending.precedence >= Pending.precedence(of: kind) {
      operators.removeLast()
      try reduce(top.pending, top.token)
    }
    operators.append((.binary(kind), token))
    return true
  }

  /// Reduces the contents of a bracket, and closes the bracket itself unless `token` is a comma.
  private mutating func reduceToBracket(for token: ExpressionToken) throws(ExpressionError) {
    while let (pending, operatorToken) = operators.last {
      switch (pending, token.kind) {
      case (.not, _), (.binary, _):
        operators.removeLast()
        try reduce(pending, operatorToken)
      case (.group, .close):
        operators.removeLast()
        // The reference continues after the parenthesis, as in `(results).fetch`.
        return
      case (.index, .closeIndex):
        operators.removeLast()
        return try builder.pushIndex(end: token.end)
      case (.list(let elements), .comma):
        operators[operators.count - 1].pending = .list(elements + 1)
        return
      case (.list(let elements), .closeIndex):
        operators.removeLast()
        return try builder.pushList(elements + 1, start: operatorToken, end: token)
      case (.call(let function, let name, let arguments), .comma):
        operators[operators.count - 1].pending = .call(function, name: name, arguments: arguments + 1)
        return
      case (.call(let function, let name, let arguments), .close):
        operators.removeLast()
        return try builder.pushCall(function, name: name, arguments: arguments + 1, end: token)
      case (.index, _), (.list, _): throw unexpected(token, "expected ']'")
      case (.group, _), (.call, _): throw unexpected(token, "expected ')'")
      }
    }
    throw unexpected(token, token.kind == .comma ? "expected an operator" : "which closes nothing")
  }

  private mutating func reduce(_ pending: Pending, _ token: ExpressionToken) throws(ExpressionError) {
    if case .binary(let kind) = pending {
      try builder.pushBinary(kind, token)
    } else {
      try builder.pushNot(token)
    }
  }

  // MARK: Errors

  private func unexpectedEnd(_ expectation: String) -> ExpressionError {
    ExpressionError(
      .syntax, "unexpected end of the expression, \(expectation)", position: lexer.text.count + 1)
  }

  private func unexpected(_ token: ExpressionToken, _ expectation: String) -> ExpressionError {
    if token.kind == .end { return unexpectedEnd(expectation) }
    let spelling = lexer.spelling(token.start..<token.end)
    var message =
      "unexpected '\(spelling.unicodeScalars.count > 40 ? String(spelling.prefix(40)) + "…" : spelling)', \(expectation)"
    var fix: String?
    switch token.kind {
    case .wrong(let ownMessage, let ownFix):
      if let ownMessage { message = ownMessage }
      fix = ownFix
    case .star where expectation == "expected an operator":
      fix = "write '*' with a space on each side, as in 'a * b'"
    case .word:
      switch (spelling.lowercased(), previous.map { lexer.spelling($0.start..<$0.end) }) {
      case ("and", _): fix = "'and' is written '&&'"
      case ("or", _): fix = "'or' is written '||'"
      case ("is", _), ("eq", _): fix = "equality is written '=='"
      case (_, "not"): fix = "'not' is written '!'"
      case (_, .some(let name)) where name.count > 1 && name.hasSuffix("-"):
        fix = "write '-' with a space on each side, as in 'a - b'"
      default: break
      }
    default: break
    }
    return ExpressionError(
      .syntax, message, position: token.start + 1, length: max(1, token.end - token.start), fix: fix)
  }
}
