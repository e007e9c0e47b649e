/// Reads an expression with two stacks, operands and operators, so that no nesting of the text exhausts the machine's own stack.
struct ExpressionParser {
  /// GitHub Actions' limits: UTF-16 code units of the text, and levels of its tree.
  static let maximumLength = 21_000
  static let maximumDepth = 50

  /// An operator that waits for its right side, or a bracket for its end.
  private enum Pending {
    case not
    case binary(ExpressionProgram.Kind)
    case group
    case index
    case call(ExpressionFunction, name: ExpressionToken, arguments: Int)

    /// How tightly it binds; brackets hold what is inside.
    var precedence: Int {
      switch self {
      case .not: 5
      case .binary(let kind): Pending.precedence(of: kind)
      default: 0
      }
    }

    static func precedence(of kind: ExpressionProgram.Kind) -> Int {
      switch kind {
      case .or: 1
      case .and: 2
      case .equal, .notEqual: 3
      default: 4
      }
    }
  }

  private var lexer: ExpressionLexer
  private var program = ExpressionProgram()
  private var operators: [(pending: Pending, token: ExpressionToken)] = []
  private var operands: [Int32] = []
  /// The height of each node's tree.
  private var depths: [Int] = []
  /// The reference that each node still continues.
  private var openReferences: [Int?] = []
  /// The operands of variadic nodes, until the end: chains grow in place.
  private var lists: [[Int32]] = []
  private var nameIndices: [String: Int32] = [:]
  /// The token read last, and the one before it.
  private var newest: ExpressionToken?
  private var previous: ExpressionToken?

  static func parse(_ text: String) throws(ExpressionError) -> ExpressionProgram {
    guard text.utf8.count <= maximumLength || text.utf16.count <= maximumLength else {
      throw ExpressionError(
        code: "expression-too-long", "the expression is longer than \(maximumLength) characters",
        position: maximumLength + 1)
    }
    var parser = ExpressionParser(lexer: ExpressionLexer(text))
    return try parser.whole()
  }

  private init(lexer: ExpressionLexer) {
    self.lexer = lexer
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
      case .index: throw unexpectedEnd("expected ']'")
      default: try reduce(pending, token)
      }
    }
    program.root = operands[0]
    for index in program.nodes.indices {
      switch program.nodes[index].kind {
      case .and, .or, .call:
        let list = lists[Int(program.nodes[index].first)]
        program.nodes[index].first = Int32(program.children.count)
        program.nodes[index].second = Int32(list.count)
        program.children += list
      default: break
      }
    }
    return program
  }

  private mutating func next(expectsValue: Bool) -> ExpressionToken {
    let token = lexer.next(expectsValue: expectsValue)
    previous = newest
    newest = token
    return token
  }

  // MARK: Where a value may stand

  /// Reads what begins a value; answers whether a value must still follow.
  private mutating func readValue(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    switch token.kind {
    case .number(let value, let isWhole):
      // Beyond 2^53 neighbouring integers share a double.
      let isExact = isWhole && abs(value) < 9_007_199_254_740_992
      try pushLiteral(isExact ? .int(Int64(value)) : .double(value), token)
    case .string(let text): try pushLiteral(.string(text), token)
    case .word: return try readWord(token)
    case .not:
      operators.append((.not, token))
      return true
    case .open:
      operators.append((.group, token))
      return true
    case .close:
      guard previous?.kind == .open, case .call(let function, let name, 0)? = operators.last?.pending else {
        throw unexpected(token, "expected a value")
      }
      operators.removeLast()
      try pushCall(function, name: name, arguments: [], end: token)
    case .star:
      guard previous?.kind == .openIndex, case .index? = operators.last?.pending else {
        throw unexpected(token, "expected a value")
      }
      let closing = next(expectsValue: false)
      guard closing.kind == .closeIndex else { throw unexpected(closing, "expected ']'") }
      operators.removeLast()
      try pushFilter(token, end: closing.end)
    case .end:
      throw previous == nil
        ? ExpressionError(code: "expression-syntax", "expected an expression", position: 1)
        : unexpectedEnd("expected a value")
    default: throw unexpected(token, "expected a value")
    }
    return false
  }

  private mutating func readWord(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    let word = lexer.spelling(token.start..<token.end)
    switch word {
    case "null": try pushLiteral(.null, token)
    case "true": try pushLiteral(.bool(true), token)
    case "false": try pushLiteral(.bool(false), token)
    case "NaN": try pushLiteral(.double(.nan), token)
    case "Infinity": try pushLiteral(.double(.infinity), token)
    default:
      guard lexer.isCallNext() else {
        try pushContext(word, token)
        return false
      }
      guard let function = ExpressionFunction.named(word) else {
        let near = NearestName.suggestion(for: word, among: ExpressionFunction.allCases.map(\.name))
        throw ExpressionError(
          code: "unknown-function", "unknown function '\(word)'", position: token.start + 1,
          length: token.end - token.start,
          fix: near.map { "did you mean '\($0)'?" })
      }
      operators.append((.call(function, name: token, arguments: 0), next(expectsValue: true)))
      return true
    }
    return false
  }

  // MARK: After a value

  /// Reads what follows a value; answers whether another value must follow.
  private mutating func readOperator(_ token: ExpressionToken) throws(ExpressionError) -> Bool {
    switch token.kind {
    case .comparison(let kind): return try pushBinary(kind, token)
    case .and: return try pushBinary(.and, token)
    case .or: return try pushBinary(.or, token)
    case .point:
      try checkIndexable(token)
      let name = next(expectsValue: false)
      switch name.kind {
      case .word: try pushProperty(lexer.spelling(name.start..<name.end), name, end: name.end)
      case .star: try pushFilter(name, end: name.end)
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

  /// Only what can have members may be followed by `.` or `[`: contexts, members, calls and groups, but no literal.
  private func checkIndexable(_ token: ExpressionToken) throws(ExpressionError) {
    guard let operand = operands.last else { return }
    let isLiteral = program.nodes[Int(operand)].kind == .literal
    // A literal in parentheses may, as in GitHub Actions.
    if isLiteral, previous?.kind != .close { throw unexpected(token, "a literal has no members") }
  }

  private mutating func pushBinary(_ kind: ExpressionProgram.Kind, _ token: ExpressionToken) throws(ExpressionError)
    -> Bool
  {
    while let top = operators.last, top.pending.precedence >= Pending.precedence(of: kind) {
      operators.removeLast()
      try reduce(top.pending, top.token)
    }
    operators.append((.binary(kind), token))
    return true
  }

  /// Ends what stands inside a bracket, and the bracket itself unless `token` is a comma.
  private mutating func reduceToBracket(for token: ExpressionToken) throws(ExpressionError) {
    while let (pending, operatorToken) = operators.last {
      switch (pending, token.kind) {
      case (.not, _), (.binary, _):
        operators.removeLast()
        try reduce(pending, operatorToken)
      case (.group, .close):
        operators.removeLast()
        // The reference goes on behind the parenthesis, as in `(results).fetch`.
        return
      case (.index, .closeIndex):
        operators.removeLast()
        return try pushIndex(operatorToken, end: token.end)
      case (.call(let function, let name, let arguments), .comma):
        operators[operators.count - 1].pending = .call(function, name: name, arguments: arguments + 1)
        return
      case (.call(let function, let name, let arguments), .close):
        operators.removeLast()
        let list = Array(operands.suffix(arguments + 1))
        operands.removeLast(list.count)
        return try pushCall(function, name: name, arguments: list, end: token)
      case (.index, _): throw unexpected(token, "expected ']'")
      case (.group, _), (.call, _): throw unexpected(token, "expected ')'")
      }
    }
    throw unexpected(token, token.kind == .comma ? "expected an operator" : "which closes nothing")
  }

  private mutating func reduce(_ pending: Pending, _ token: ExpressionToken) throws(ExpressionError) {
    guard let right = operands.popLast() else { return }
    let rightDepth = depths[Int(right)]
    let end = program.nodes[Int(right)].end
    guard case .binary(let kind) = pending, let left = operands.popLast() else {
      try push(node(.not, token, first: right, start: Int32(token.start + 1), end: end), depth: rightDepth + 1)
      return
    }
    let start = program.nodes[Int(left)].start
    guard kind == .and || kind == .or else {
      let depth = max(depths[Int(left)], rightDepth) + 1
      try push(node(kind, token, first: left, second: right, start: start, end: end), depth: depth)
      return
    }
    // Chains of one operator are one level, as in GitHub Actions.
    let isContinued = program.nodes[Int(left)].kind == kind
    let isRightNested = program.nodes[Int(right)].kind == kind
    let added = isRightNested ? lists[Int(program.nodes[Int(right)].first)] : [right]
    if isRightNested { lists[Int(program.nodes[Int(right)].first)] = [] }
    let depth = max(depths[Int(left)] + (isContinued ? 0 : 1), rightDepth + (isRightNested ? 0 : 1))
    if isContinued {
      lists[Int(program.nodes[Int(left)].first)] += added
      program.nodes[Int(left)].end = end
      depths[Int(left)] = depth
      try checkDepth(depth, at: token)
      operands.append(left)
    } else {
      lists.append([left] + added)
      try push(node(kind, token, first: Int32(lists.count - 1), start: start, end: end), depth: depth)
    }
  }

  // MARK: Nodes

  private func node(
    _ kind: ExpressionProgram.Kind, _ token: ExpressionToken, first: Int32 = 0, second: Int32 = 0, start: Int32? = nil,
    end: Int32? = nil
  ) -> ExpressionProgram.Node {
    ExpressionProgram.Node(
      kind: kind, first: first, second: second, position: Int32(token.start + 1),
      length: Int32(token.end - token.start),
      start: start ?? Int32(token.start + 1), end: end ?? Int32(token.end + 1))
  }

  private mutating func push(_ node: ExpressionProgram.Node, depth: Int, reference: Int? = nil) throws(ExpressionError)
  {
    guard depth <= Self.maximumDepth else {
      throw ExpressionError(
        code: "expression-too-deep", "the expression is nested more than \(Self.maximumDepth) levels deep",
        position: Int(node.position), length: Int(node.length))
    }
    operands.append(Int32(program.nodes.count))
    program.nodes.append(node)
    depths.append(depth)
    openReferences.append(reference)
  }

  private func checkDepth(_ depth: Int, at token: ExpressionToken) throws(ExpressionError) {
    guard depth > Self.maximumDepth else { return }
    throw ExpressionError(
      code: "expression-too-deep", "the expression is nested more than \(Self.maximumDepth) levels deep",
      position: token.start + 1, length: token.end - token.start)
  }

  private mutating func pushLiteral(_ value: JSONValue, _ token: ExpressionToken) throws(ExpressionError) {
    program.literals.append(value)
    try push(node(.literal, token, first: Int32(program.literals.count - 1)), depth: 1)
  }

  private mutating func name(_ name: String) -> Int32 {
    if let index = nameIndices[name] { return index }
    let index = Int32(program.names.count)
    program.names.append(name)
    nameIndices[name] = index
    return index
  }

  private static let builtInContexts: Set<String> = [
    "params", "env", "secrets", "results", "errors", "operations", "run", "item",
  ]

  private mutating func pushContext(_ word: String, _ token: ExpressionToken) throws(ExpressionError) {
    let lowered = word.lowercased()
    let context = Self.builtInContexts.contains(lowered) ? lowered : word
    program.references.append(
      ExpressionReference(context: context, path: [], position: token.start + 1, length: token.end - token.start))
    try push(node(.context, token, first: name(context)), depth: 1, reference: program.references.count - 1)
  }

  /// Replaces the top operand by its member `name`, whose spelling is `token`.
  private mutating func pushProperty(_ member: String, _ token: ExpressionToken, end: Int) throws(ExpressionError) {
    guard let target = operands.popLast() else { return }
    let owner = program.nodes[Int(target)]
    let reference = openReferences[Int(target)]
    if let reference {
      program.references[reference].path.append(member)
      program.references[reference].length = end - program.references[reference].position + 1
    }
    let isContext = owner.kind == .context
    try push(
      node(
        isContext ? .member : .property, token, first: isContext ? owner.first : target, second: name(member),
        start: owner.start, end: Int32(end + 1)),
      depth: depths[Int(target)] + 1, reference: reference)
  }

  /// Replaces the top operand by all its members.
  private mutating func pushFilter(_ token: ExpressionToken, end: Int) throws(ExpressionError) {
    guard let target = operands.popLast() else { return }
    let start = program.nodes[Int(target)].start
    try push(node(.filter, token, first: target, start: start, end: Int32(end + 1)), depth: depths[Int(target)] + 1)
  }

  /// Replaces the two top operands, a value and an index, by what is there.
  private mutating func pushIndex(_ bracket: ExpressionToken, end: Int) throws(ExpressionError) {
    guard let key = operands.popLast(), let target = operands.last else { return }
    let owner = program.nodes[Int(target)]
    let keyNode = program.nodes[Int(key)]
    let token = ExpressionToken(kind: .end, start: Int(keyNode.start) - 1, end: Int(keyNode.end) - 1)
    if let literal = program.literal(key) {
      // A context is an object, whose members have names only; elsewhere a number may be the place in a list.
      if case .string(let name) = literal { return try pushProperty(name, token, end: end) }
      if owner.kind == .context { return try pushProperty(literal.coercedString, token, end: end) }
    }
    operands.removeLast()
    let isContext = owner.kind == .context
    try push(
      node(
        isContext ? .computedMember : .index, token, first: isContext ? owner.first : target, second: key,
        start: owner.start,
        end: Int32(end + 1)),
      depth: max(depths[Int(target)], depths[Int(key)]) + 1)
  }

  private mutating func pushCall(
    _ function: ExpressionFunction, name: ExpressionToken, arguments: [Int32], end: ExpressionToken
  ) throws(ExpressionError) {
    let allowed = function.argumentCount
    guard allowed.contains(arguments.count), function != .case || arguments.count % 2 == 1 else {
      let problem =
        if arguments.count < allowed.lowerBound {
          "too few arguments"
        } else if arguments.count > allowed.upperBound {
          "too many arguments"
        } else {
          "an even number of arguments, which leaves no default,"
        }
      throw ExpressionError(
        code: "argument-count", "\(problem) for '\(function.name)'", position: name.start + 1,
        length: name.end - name.start,
        fix: "it is called \(function.usage)")
    }
    if function.isStatus { program.usesStatusFunction = true }
    lists.append(arguments)
    var call = node(.call, name, first: Int32(lists.count - 1), end: Int32(end.end + 1))
    call.function = function
    var depth = 1
    for argument in arguments { depth = max(depth, depths[Int(argument)] + 1) }
    try push(call, depth: depth)
  }

  // MARK: Errors

  private func unexpectedEnd(_ expectation: String) -> ExpressionError {
    ExpressionError(
      code: "expression-syntax", "unexpected end of the expression, \(expectation)", position: lexer.text.count + 1)
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
    case .number where spelling.hasPrefix("-") || spelling.hasPrefix("+"), .star:
      fix = expectation == "expected an operator" ? "expressions have no arithmetic" : nil
    case .word:
      switch (spelling.lowercased(), previous.map { lexer.spelling($0.start..<$0.end) }) {
      case ("and", _): fix = "'and' is written '&&'"
      case ("or", _): fix = "'or' is written '||'"
      case ("is", _), ("eq", _): fix = "equality is written '=='"
      case (_, "not"): fix = "'not' is written '!'"
      default: break
      }
    default: break
    }
    return ExpressionError(
      code: "expression-syntax", message, position: token.start + 1, length: max(1, token.end - token.start), fix: fix)
  }
}
