import Values

extension ExpressionEvaluation {
  /// The maximum number of bytes of text that a function may produce, as in GitHub Actions.
  static let maximumText = 10 * 1024 * 1024

  /// Returns the value of a call.
  mutating func call(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    // A list produced by `.*` stays one when `case` returns it; every other function creates new values.
    if node.function == .case { return try chosen(node, in: contexts) }
    let result = try result(of: node, in: contexts)
    isFiltered = false
    return result
  }

  mutating func argument(
    _ place: Int32, _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    try value(of: storage.program.children[Int(node.first + place)], in: contexts)
  }

  func argumentNode(_ place: Int32, _ node: ExpressionProgram.Node) -> ExpressionProgram.Node {
    program.nodes[Int(program.children[Int(node.first + place)])]
  }

  private mutating func result(
    of node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    switch node.function {
    case .success: return .bool(contexts.status.isSuccess)
    case .failure: return .bool(contexts.status.hasFailure)
    case .cancelled: return .bool(contexts.status.isCancelled)
    case .always: return .bool(true)
    case .contains: return .bool(try contains(node, in: contexts))
    case .startsWith, .endsWith:
      let text = try argument(0, node, in: contexts)
      guard !text.isCollection else { return .bool(false) }
      let part = try argument(1, node, in: contexts)
      guard !part.isCollection else { return .bool(false) }
      return .bool(
        node.function == .startsWith
          ? OrdinalIgnoreCase.hasPrefix(text.coercedString, part.coercedString)
          : OrdinalIgnoreCase.hasSuffix(text.coercedString, part.coercedString))
    case .format: return .string(try formatted(node, in: contexts))
    case .join: return .string(try joined(node, in: contexts))
    case .toJSON:
      let value = try argument(0, node, in: contexts)
      guard let text = ExpressionJSONWriter.text(of: value, limit: Self.maximumText) else { throw tooMuchText(node) }
      return .string(text)
    case .fromJSON:
      let text = try argument(0, node, in: contexts).coercedString
      do throws(JSONError) {
        return try JSONValue.parse(text)
      } catch {
        throw ExpressionError(.invalidJSON, "fromJSON cannot read the text: \(error)").placed(
          at: argumentNode(0, node))
      }
    case .hashFiles:
      var patterns: [String] = []
      for place in 0..<node.second { patterns.append(try argument(place, node, in: contexts).coercedString) }
      do throws(ExpressionError) {
        return .string(try contexts.hashFiles(patterns))
      } catch {
        throw error.placed(at: node)
      }
    case .length: return .int(Int64(try length(node, in: contexts)))
    case .keys:
      switch try argument(0, node, in: contexts) {
      case .null: return .array([])
      case .object(let members): return .array(members.keys.map { .string($0) })
      case let other: throw wrongArgument(node, "an object", other)
      }
    case .first, .last:
      switch try argument(0, node, in: contexts) {
      case .null: return .null
      case .array(let elements): return (node.function == .first ? elements.first : elements.last) ?? .null
      case let other: throw wrongArgument(node, "a list", other)
      }
    case .case: return try chosen(node, in: contexts)
    case .formatDate: return .string(try formattedDate(node, in: contexts))
    case .addDuration: return .string(try laterDate(node, in: contexts))
    }
  }

  private mutating func contains(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> Bool {
    let search = try argument(0, node, in: contexts)
    switch search {
    case .object: return false
    case .array(let elements):
      guard !elements.isEmpty else { return false }
      let item = try argument(1, node, in: contexts)
      // An element of a list is never the same list or object as one from elsewhere.
      return !item.isCollection && elements.contains { Self.equal(item, $0) }
    default:
      let item = try argument(1, node, in: contexts)
      return !item.isCollection && OrdinalIgnoreCase.contains(search.coercedString, item.coercedString)
    }
  }

  private mutating func formatted(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> String {
    let format = try argument(0, node, in: contexts).coercedString
    let pieces: [ExpressionFormat.Piece]
    do throws(ExpressionError) {
      pieces = try ExpressionFormat.pieces(of: format, arguments: Int(node.second) - 1)
    } catch {
      throw error.placed(at: argumentNode(0, node))
    }
    var arguments = [String?](repeating: nil, count: Int(node.second) - 1)
    var text = ""
    for piece in pieces {
      switch piece {
      case .text(let part): text += part
      case .argument(let index):
        if let part = arguments[index] {
          text += part
        } else {
          let part = try argument(Int32(index + 1), node, in: contexts).coercedString
          arguments[index] = part
          text += part
        }
      }
      guard text.utf8.count <= Self.maximumText else { throw tooMuchText(node) }
    }
    return text
  }

  private mutating func joined(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> String {
    let items = try argument(0, node, in: contexts)
    guard case .array(let elements) = items else { return items.isCollection ? "" : items.coercedString }
    var separator = ","
    if elements.count > 1, node.second > 1 {
      let value = try argument(1, node, in: contexts)
      if !value.isCollection { separator = value.coercedString }
    }
    var text = ""
    for (index, element) in elements.enumerated() {
      if index > 0 { text += separator }
      text += element.coercedString
      guard text.utf8.count <= Self.maximumText else { throw tooMuchText(node) }
    }
    return text
  }

  private mutating func chosen(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    for place in stride(from: Int32(0), to: node.second - 1, by: 2) {
      let condition = try argument(place, node, in: contexts)
      guard case .bool(let holds) = condition else {
        throw ExpressionError(
          .argumentType, "a condition of 'case' is true or false, not \(condition.kind)",
          fix: "compare it, as in 'value != null'"
        ).placed(at: argumentNode(place, node))
      }
      if holds { return try argument(place + 1, node, in: contexts) }
    }
    return try argument(node.second - 1, node, in: contexts)
  }

  private mutating func length(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> Int {
    switch try argument(0, node, in: contexts) {
    case .null: return 0
    case .string(let text): return text.unicodeScalars.count
    case .array(let elements): return elements.count
    case .object(let members): return members.count
    case let other: throw wrongArgument(node, "a string, a list or an object", other)
    }
  }

  private func wrongArgument(_ node: ExpressionProgram.Node, _ expected: String, _ value: JSONValue) -> ExpressionError
  {
    ExpressionError(.argumentType, "'\(node.function.name)' takes \(expected), not \(value.kind)")
      .placed(at: argumentNode(0, node))
  }

  func tooMuchText(_ node: ExpressionProgram.Node) -> ExpressionError {
    ExpressionError(.tooLarge, "'\(node.function.name)' makes more than 10 MiB of text").placed(
      at: node)
  }

  /// Returns whether `==` holds between an element of a list and a value from a different place.
  private static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): OrdinalIgnoreCase.equal(left, right)
    case (.null, .null): true
    default: left.coercedNumber == right.coercedNumber
    }
  }
}
