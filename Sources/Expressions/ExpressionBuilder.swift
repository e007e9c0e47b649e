import Values

/// Builds the tree of an expression from the bottom up: each step pops operands from a stack and pushes a node.
struct ExpressionBuilder {
  /// The maximum depth of a tree, as in GitHub Actions.
  static let maximumDepth = 50

  private var tree = ExpressionProgram()
  private var operands: [Int32] = []
  /// The height of each node's subtree.
  private var depths: [Int] = []
  /// For each node, the index of the reference that the next member would extend.
  private var openReferences: [Int?] = []
  /// The operands of variadic nodes until the tree is finished, so that chains grow in place.
  private var lists: [[Int32]] = []
  /// The invalid calls, in the order in which they end.
  private(set) var problems: [ExpressionError] = []

  init() {
    // Most expressions have no more parts than this.
    tree.nodes.reserveCapacity(12)
    depths.reserveCapacity(12)
    openReferences.reserveCapacity(12)
    operands.reserveCapacity(4)
  }

  /// Returns the finished tree; its root is the only operand left.
  mutating func program() -> ExpressionProgram {
    tree.root = operands[0]
    for index in tree.nodes.indices {
      switch tree.nodes[index].kind {
      case .and, .or, .call, .list, .mistake:
        let list = lists[Int(tree.nodes[index].first)]
        tree.nodes[index].first = Int32(tree.children.count)
        tree.nodes[index].second = Int32(list.count)
        tree.children += list
      default: break
      }
    }
    return tree
  }

  /// Whether the top operand is a literal.
  var endsWithLiteral: Bool { operands.last.map { tree.literal($0) != nil } ?? false }

  // MARK: Operators

  mutating func pushNot(_ token: ExpressionToken) throws(ExpressionError) {
    guard let operand = operands.popLast() else { return }
    let end = tree.nodes[Int(operand)].end
    try push(node(.not, token, first: operand, end: end), depth: depths[Int(operand)] + 1)
  }

  /// Replaces the top two operands with a comparison, a computation, or `&&` or `||`.
  mutating func pushBinary(_ kind: ExpressionProgram.Kind, _ token: ExpressionToken) throws(ExpressionError) {
    guard let right = operands.popLast(), let left = operands.popLast() else { return }
    let rightDepth = depths[Int(right)]
    let end = tree.nodes[Int(right)].end
    let start = tree.nodes[Int(left)].start
    guard kind == .and || kind == .or else {
      let depth = max(depths[Int(left)], rightDepth) + 1
      try push(node(kind, token, first: left, second: right, start: start, end: end), depth: depth)
      return
    }
    // A chain of the same operator counts as one level, as in GitHub Actions.
    let isContinued = tree.nodes[Int(left)].kind == kind
    let isRightNested = tree.nodes[Int(right)].kind == kind
    let added = isRightNested ? lists[Int(tree.nodes[Int(right)].first)] : [right]
    if isRightNested { lists[Int(tree.nodes[Int(right)].first)] = [] }
    let depth = max(depths[Int(left)] + (isContinued ? 0 : 1), rightDepth + (isRightNested ? 0 : 1))
    if isContinued {
      lists[Int(tree.nodes[Int(left)].first)] += added
      tree.nodes[Int(left)].end = end
      depths[Int(left)] = depth
      try checkDepth(depth, at: token)
      operands.append(left)
    } else {
      lists.append([left] + added)
      try push(node(kind, token, first: Int32(lists.count - 1), start: start, end: end), depth: depth)
    }
  }

  /// Replaces the top operands with a list of them.
  mutating func pushList(_ count: Int, start: ExpressionToken, end: ExpressionToken) throws(ExpressionError) {
    let elements = Array(operands.suffix(count))
    operands.removeLast(count)
    lists.append(elements)
    let depth = (elements.map { depths[Int($0)] }.max() ?? 0) + 1
    try push(node(.list, start, first: Int32(lists.count - 1), end: Int32(end.end + 1)), depth: depth)
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

  private mutating func push(
    _ node: ExpressionProgram.Node, depth: Int, reference: Int? = nil
  ) throws(ExpressionError) {
    guard depth <= Self.maximumDepth else {
      throw ExpressionError(
        .tooDeep, "the expression is nested more than \(Self.maximumDepth) levels deep",
        position: Int(node.position), length: Int(node.length))
    }
    operands.append(Int32(tree.nodes.count))
    tree.nodes.append(node)
    depths.append(depth)
    openReferences.append(reference)
  }

  private func checkDepth(_ depth: Int, at token: ExpressionToken) throws(ExpressionError) {
    guard depth > Self.maximumDepth else { return }
    throw ExpressionError(
      .tooDeep, "the expression is nested more than \(Self.maximumDepth) levels deep",
      position: token.start + 1, length: token.end - token.start)
  }

  mutating func pushLiteral(_ value: JSONValue, _ token: ExpressionToken) throws(ExpressionError) {
    tree.literals.append(value)
    try push(node(.literal, token, first: Int32(tree.literals.count - 1)), depth: 1)
  }

  private mutating func name(_ name: String) -> Int32 {
    tree.names.append(name)
    return Int32(tree.names.count - 1)
  }

  private static let builtInContexts = [
    "params", "env", "secrets", "results", "errors", "operations", "artifacts", "run", "item", "previous",
  ]

  /// Returns a context's name in the spelling in which it is looked up.
  private static func canonical(_ name: String) -> String {
    if builtInContexts.contains(name) { return name }
    let lowered = name.lowercased()
    return builtInContexts.contains(lowered) ? lowered : name
  }

  mutating func pushContext(_ word: String, _ token: ExpressionToken) throws(ExpressionError) {
    let context = Self.canonical(word)
    tree.references.append(
      ExpressionReference(context: context, path: [], position: token.start + 1, length: token.end - token.start))
    try push(node(.context, token, first: name(context)), depth: 1, reference: tree.references.count - 1)
  }

  /// Replaces the top operand with its member `member`, which `token` spells.
  mutating func pushProperty(_ member: String, _ token: ExpressionToken, end: Int) throws(ExpressionError) {
    guard let target = operands.popLast() else { return }
    let owner = tree.nodes[Int(target)]
    let reference = openReferences[Int(target)]
    if let reference {
      tree.references[reference].path.append(member)
      tree.references[reference].length = end - tree.references[reference].position + 1
    }
    let isContext = owner.kind == .context
    try push(
      node(
        isContext ? .member : .property, token, first: isContext ? owner.first : target, second: name(member),
        start: owner.start, end: Int32(end + 1)),
      depth: depths[Int(target)] + 1, reference: reference)
  }

  /// Replaces the top operand with all its members.
  mutating func pushFilter(_ token: ExpressionToken, end: Int) throws(ExpressionError) {
    guard let target = operands.popLast() else { return }
    let start = tree.nodes[Int(target)].start
    try push(node(.filter, token, first: target, start: start, end: Int32(end + 1)), depth: depths[Int(target)] + 1)
  }

  /// Replaces the top two operands, a value and an index, with the element at that index.
  mutating func pushIndex(end: Int) throws(ExpressionError) {
    guard let key = operands.popLast(), let target = operands.last else { return }
    let owner = tree.nodes[Int(target)]
    let keyNode = tree.nodes[Int(key)]
    let token = ExpressionToken(kind: .end, start: Int(keyNode.start) - 1, end: Int(keyNode.end) - 1)
    if let literal = tree.literal(key) {
      // A context is an object, whose members only have names; elsewhere a number may be an index into a list.
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

  /// Records a mistake that does not prevent the rest of the expression from being parsed.
  mutating func note(_ problem: ExpressionError) { problems.append(problem) }

  /// Replaces the top operands with a call with them as arguments. A call with too few or too many arguments is
  /// recorded as a problem, as an unknown function already was; its arguments are still checked.
  mutating func pushCall(
    _ function: ExpressionFunction?, name: ExpressionToken, arguments count: Int, end: ExpressionToken
  ) throws(ExpressionError) {
    let problem = function.flatMap { Self.argumentProblem(of: $0, count: count, name: name) }
    if let problem { note(problem) }
    if function?.isStatus == true { tree.usesStatusFunction = true }
    let arguments = Array(operands.suffix(count))
    operands.removeLast(count)
    lists.append(arguments)
    let isSound = function != nil && problem == nil
    var call = node(isSound ? .call : .mistake, name, first: Int32(lists.count - 1), end: Int32(end.end + 1))
    if let function { call.function = function }
    var depth = 1
    for argument in arguments { depth = max(depth, depths[Int(argument)] + 1) }
    try push(call, depth: depth)
  }

  private static func argumentProblem(
    of function: ExpressionFunction, count: Int, name: ExpressionToken
  ) -> ExpressionError? {
    let allowed = function.argumentCount
    if allowed.contains(count), function != .case || count % 2 == 1 { return nil }
    let problem =
      if count < allowed.lowerBound {
        "too few arguments"
      } else if count > allowed.upperBound {
        "too many arguments"
      } else {
        "an even number of arguments, which leaves no default,"
      }
    return ExpressionError(
      .argumentCount, "\(problem) for '\(function.name)'", position: name.start + 1,
      length: name.end - name.start,
      fix: "it is called \(function.usage)")
  }
}
