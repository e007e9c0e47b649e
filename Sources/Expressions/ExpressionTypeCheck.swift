import Values

/// A single walk of the checker over an expression.
struct ExpressionTypeCheck<Environment: TypeEnvironment> {
  /// The inferred properties of a value.
  struct Inferred {
    var type: ValueType
    /// Whether it is a list produced by `.*`, so that member names apply to each of its elements.
    var isFiltered = false
    /// The type if the value is true, where that is more specific: `a && b` can only be true as `b`.
    var whenTrue: ValueType?

    /// What a `||` yields for this value, unless it is the last operand.
    var passed: Inferred { whenTrue.map { Inferred(type: $0) } ?? self }
  }

  /// The owner of a member, so that its spelling is computed for messages only.
  private enum Owner {
    case node(Int32)
    case context(name: Int32)
  }

  private let expression: Expression
  private let environment: Environment
  private(set) var problems: [ExpressionProblem] = []

  init(_ expression: Expression, _ environment: Environment) {
    self.expression = expression
    self.environment = environment
  }

  var program: ExpressionProgram { expression.storage.program }

  /// Infers the properties of node `index`; reports mistakes in it.
  mutating func infer(_ index: Int32) -> Inferred {
    let node = program.nodes[Int(index)]
    switch node.kind {
    case .literal: return Inferred(type: Self.type(of: program.literals[Int(node.first)]))
    case .context: return inferContext(node)
    case .member: return inferMember(node)
    case .computedMember:
      let key = infer(node.second)
      guard let context = context(node) else { return Inferred(type: .json) }
      guard case .value(let type) = context else { return Inferred(type: .json) }
      return indexed(Inferred(type: type), key, owner: .context(name: node.first), node)
    case .property:
      return property(program.names[Int(node.second)], of: infer(node.first), owner: .node(node.first), node)
    case .index:
      let target = infer(node.first)
      let key = infer(node.second)
      if let number = program.literal(node.second), case .object = target.type {
        return property(number.coercedString, of: target, owner: .node(node.first), node)
      }
      return indexed(target, key, owner: .node(node.first), node)
    case .filter: return filtered(infer(node.first), owner: .node(node.first), node)
    case .not:
      _ = infer(node.first)
      return Inferred(type: .bool)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      checkComparison(node, infer(node.first).type, infer(node.second).type)
      return Inferred(type: .bool)
    case .add, .subtract, .multiply, .divide, .remainder: return inferArithmetic(node)
    case .list:
      let elements = program.children(of: node).map { infer($0) }
      return Inferred(type: .list(Self.elementType(elements)))
    case .and:
      let operands = program.children(of: node).map { infer($0) }
      var result = Self.union(operands)
      if let last = operands.last, !last.isFiltered { result.whenTrue = last.passed.type }
      return result
    case .or:
      let operands = program.children(of: node).map { infer($0) }
      return Self.union(operands.dropLast().map(\.passed) + operands.suffix(1))
    case .call: return inferCall(node)
    case .mistake:
      for child in program.children(of: node) { _ = infer(child) }
      return Inferred(type: .json)
    }
  }

  // MARK: Problems

  mutating func report(_ node: ExpressionProgram.Node, _ code: ExpressionCode, _ message: String, fix: String? = nil) {
    problems.append(
      ExpressionProblem(position: Int(node.position), length: max(1, Int(node.length)), code: code, message, fix: fix))
  }

  /// Reports a problem at the whole node rather than at its own token.
  mutating func reportWhole(
    _ node: ExpressionProgram.Node, _ code: ExpressionCode, _ message: String, fix: String? = nil
  ) {
    let length = max(1, Int(node.end - node.start))
    problems.append(ExpressionProblem(position: Int(node.start), length: length, code: code, message, fix: fix))
  }

  /// Reports an error that already has a place.
  mutating func note(_ error: ExpressionError) {
    problems.append(
      ExpressionProblem(
        position: error.position, length: error.length, code: ExpressionCode(rawValue: error.code) ?? .argumentType,
        error.message, fix: error.fix))
  }

  /// Returns a node as it is written.
  func spelling(_ index: Int32) -> String {
    let node = program.nodes[Int(index)]
    let text = Array(expression.text.unicodeScalars)
    return String(scalars: text[Int(node.start - 1)..<Int(node.end - 1)])
  }

  private func spelling(_ owner: Owner) -> String {
    switch owner {
    case .node(let index): spelling(index)
    case .context(let name): program.names[Int(name)]
    }
  }

  // MARK: Contexts

  /// Returns what is known about the context that a node refers to; reports an unknown one.
  private mutating func context(_ node: ExpressionProgram.Node) -> ContextType? {
    let name = program.names[Int(node.first)]
    if let known = environment.type(of: name) { return known }
    let names = environment.contextNames
    if let other = names.first(where: { OrdinalIgnoreCase.equal($0, name) }), let known = environment.type(of: other) {
      return known
    }
    if let difference = difference(name, of: "", among: names) {
      problems.append(
        ExpressionProblem(
          position: Int(node.start), length: name.unicodeScalars.count, code: .unknownContext,
          "unknown context '\(name)'", fix: difference))
      return nil
    }
    let rest = node.kind == .member ? ValueType.step(to: program.names[Int(node.second)]) : ""
    let near = NearestName.suggestion(for: name, among: names)
    problems.append(
      ExpressionProblem(
        position: Int(node.start), length: name.unicodeScalars.count, code: .unknownContext,
        "unknown context '\(name)'",
        fix: near.map { "did you mean '\($0)\(rest)'?" }))
    return nil
  }

  private mutating func inferContext(_ node: ExpressionProgram.Node) -> Inferred {
    if case .value(let type)? = context(node) { return Inferred(type: type) }
    return Inferred(type: .json)
  }

  private mutating func inferMember(_ node: ExpressionProgram.Node) -> Inferred {
    let contextName = program.names[Int(node.first)]
    let name = program.names[Int(node.second)]
    switch context(node) {
    case nil: return Inferred(type: .json)
    case .value(let type)?: return property(name, of: Inferred(type: type), owner: .context(name: node.first), node)
    case .members(let member, let names)?:
      if let known = member(name) { return Inferred(type: known.type) }
      let all = names()
      if let other = all.first(where: { OrdinalIgnoreCase.equal($0, name) }), let known = member(other) {
        return Inferred(type: known.type)
      }
      let near = NearestName.suggestion(for: name, among: all)
      report(
        node, .unknownMember, "'\(contextName)' has no member '\(name)'",
        fix: difference(name, of: contextName, among: all)
          ?? near.map { "did you mean '\(contextName)\(ValueType.step(to: $0))'?" })
      return Inferred(type: .json)
    }
  }

  // MARK: Members

  /// Infers `target.name`; `owner` is the target as it is written.
  private mutating func property(
    _ name: String, of target: Inferred, owner: Owner, _ node: ExpressionProgram.Node
  ) -> Inferred {
    if target.isFiltered, case .list(let element) = target.type {
      let part = property(name, of: Inferred(type: element), owner: owner, node)
      return Inferred(type: .list(part.type), isFiltered: true)
    }
    switch target.type {
    case .json: return Inferred(type: .json)
    case .object(let fields):
      let exact = fields.first { $0.name == name }
      if let field = exact ?? fields.first(where: { OrdinalIgnoreCase.equal($0.name, name) }) {
        return Inferred(type: field.type)
      }
      let spelling = spelling(owner)
      let near = NearestName.suggestion(for: name, among: fields.map(\.name))
      report(
        node, .unknownMember, "'\(spelling)' has no member '\(name)'",
        fix: difference(name, of: spelling, among: fields.map(\.name))
          ?? near.map { "did you mean '\(spelling)\(ValueType.step(to: $0))'?" } ?? Self.listing(fields))
    case .list(let element):
      if !name.expressionNumber.isNaN { return Inferred(type: element) }
      let spelling = spelling(owner)
      var fix = "an element is written '\(spelling)[0]', all of them '\(spelling).*'"
      if ["length", "count", "size"].contains(name.lowercased()) { fix = "use 'length(\(spelling))'" }
      if element.member(name) != nil, element != .json {
        fix = "did you mean '\(spelling)[0]\(ValueType.step(to: name))' or '\(spelling).*\(ValueType.step(to: name))'?"
      }
      report(node, .noMembers, "'\(spelling)' is a list and has no member '\(name)'", fix: fix)
    default:
      let spelling = spelling(owner)
      let isLength = target.type == .string && name.lowercased() == "length"
      report(
        node, .noMembers, "'\(spelling)' is \(Self.phrase(target.type)) and has no member '\(name)'",
        fix: isLength ? "use 'length(\(spelling))'" : nil)
    }
    return Inferred(type: .json)
  }

  /// Returns the fix for a name that consists of one of `known`, a minus and more: `count-1` is a name, not a difference.
  private func difference(_ name: String, of owner: String, among known: [String]) -> String? {
    for (place, scalar) in name.enumerated().reversed() where scalar == "-" {
      let (left, right) = (name.prefix(place), name.dropFirst(place + 1))
      guard !right.isEmpty, let own = known.first(where: { OrdinalIgnoreCase.equal($0, String(left)) }) else {
        continue
      }
      let step = owner.isEmpty ? own : owner + ValueType.step(to: own)
      return "to subtract, write '\(step) - \(right)', with spaces"
    }
    return nil
  }

  private static func listing(_ fields: [ValueType.Field]) -> String? {
    fields.isEmpty || fields.count > 12 ? nil : "its members are \(fields.map(\.name).joined(separator: ", "))"
  }

  /// Infers `target[key]`.
  private mutating func indexed(
    _ target: Inferred, _ key: Inferred, owner: Owner, _ node: ExpressionProgram.Node
  ) -> Inferred {
    switch key.type {
    case .list, .object:
      report(node, .indexType, "an index is a number or a name, not \(Self.phrase(key.type))")
      return Inferred(type: .json)
    default: break
    }
    if target.isFiltered, case .list(let element) = target.type {
      let part = indexed(Inferred(type: element), key, owner: owner, node)
      return Inferred(type: .list(part.type), isFiltered: true)
    }
    switch target.type {
    case .list(let element): return Inferred(type: element)
    case .json, .object: return Inferred(type: .json)
    default:
      report(node, .noMembers, "'\(spelling(owner))' is \(Self.phrase(target.type)) and cannot be indexed")
      return Inferred(type: .json)
    }
  }

  /// Infers `target.*`.
  private mutating func filtered(_ target: Inferred, owner: Owner, _ node: ExpressionProgram.Node) -> Inferred {
    let element: ValueType
    switch target.type {
    case .list(let own) where !target.isFiltered: element = own
    case .list(.list(let inner)): element = inner
    case .list(.object(let fields)), .object(let fields):
      element = fields.isEmpty ? .json : Self.union(fields.map { Inferred(type: $0.type) }).type
    case .json, .list(.json): element = .json
    case .list(let own):
      report(node, .noMembers, "'\(spelling(owner))' holds \(Self.phrase(own)) each, which has no members")
      element = .json
    default:
      report(
        node, .noMembers, "'\(spelling(owner))' is \(Self.phrase(target.type)), and '*' needs a list or an object")
      element = .json
    }
    return Inferred(type: .list(element), isFiltered: true)
  }

  // MARK: Types

  /// Returns what is known about a value that is one of several.
  static func union(_ values: [Inferred]) -> Inferred {
    var result: Inferred?
    for value in values where value.type != .none {
      guard let known = result else {
        result = Inferred(type: value.type, isFiltered: value.isFiltered)
        continue
      }
      switch (known.type, value.type) {
      case (.int, .number), (.number, .int): result = Inferred(type: .number)
      default:
        if known.type != value.type || known.isFiltered != value.isFiltered { return Inferred(type: .json) }
      }
    }
    return result ?? Inferred(type: .none)
  }

  /// Returns the type of the elements of a list literal; null may be among them.
  private static func elementType(_ elements: [Inferred]) -> ValueType {
    let isOpen = elements.isEmpty || elements.contains { $0.type == .none }
    return isOpen ? .json : union(elements).type
  }

  private static func type(of literal: JSONValue) -> ValueType {
    switch literal {
    case .null: .none
    case .bool: .bool
    case .int: .int
    case .double: .number
    case .string: .string
    case .array, .object: .json
    }
  }

  /// Returns a type as a noun with its article, for use in a sentence.
  static func phrase(_ type: ValueType) -> String {
    switch type {
    case .list: "a list"
    case .object: "an object"
    case .int: "an int"
    case .none: "nothing"
    default: "a \(type)"
    }
  }
}
