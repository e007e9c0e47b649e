import Values

/// A single evaluation of an expression: a walk over its tree, at most 50 levels deep.
struct ExpressionEvaluation {
  let storage: Expression.Storage
  /// Whether the most recent value is a list produced by `.*`, so that member names apply to each of its elements.
  var isFiltered = false

  init(_ storage: Expression.Storage) {
    self.storage = storage
  }

  var program: ExpressionProgram { storage.program }

  /// Returns the value of node `index`.
  mutating func value(
    of index: Int32, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    let node = storage.program.nodes[Int(index)]
    switch node.kind {
    case .literal:
      isFiltered = false
      return storage.program.literals[Int(node.first)]
    case .context:
      isFiltered = false
      return try whole(node, in: contexts)
    case .member:
      isFiltered = false
      return try member(storage.program.names[Int(node.second)], node, in: contexts)
    case .computedMember:
      let key = try value(of: node.second, in: contexts)
      isFiltered = false
      return key.isCollection ? .null : try member(key.coercedString, node, in: contexts)
    case .property:
      let target = try value(of: node.first, in: contexts)
      let name = storage.program.names[Int(node.second)]
      if isFiltered, case .array(let elements) = target {
        return .array(elements.compactMap { $0.expressionMember(name) })
      }
      return target.expressionMember(name) ?? .null
    case .index: return try indexed(node, in: contexts)
    case .filter: return filtered(try value(of: node.first, in: contexts))
    case .not:
      let operand = try value(of: node.first, in: contexts)
      isFiltered = false
      return .bool(!operand.isTruthy)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      let left = try value(of: node.first, in: contexts)
      let right = try value(of: node.second, in: contexts)
      isFiltered = false
      return .bool(holds(node, left, right))
    case .add, .subtract, .multiply, .divide, .remainder:
      let left = try value(of: node.first, in: contexts)
      let right = try value(of: node.second, in: contexts)
      isFiltered = false
      return try computed(node, left, right)
    case .list:
      var elements: [JSONValue] = []
      for child in storage.program.children(of: node) { elements.append(try value(of: child, in: contexts)) }
      isFiltered = false
      return .array(elements)
    case .and, .or:
      var result = JSONValue.null
      for place in Int(node.first)..<Int(node.first + node.second) {
        result = try value(of: storage.program.children[place], in: contexts)
        if result.isTruthy == (node.kind == .or) { break }
      }
      return result
    case .call: return try call(node, in: contexts)
    case .mistake:
      throw ExpressionError(.syntax, "the expression cannot be read").placed(at: node)
    }
  }

  // MARK: Contexts and members

  private func whole(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    let name = program.names[Int(node.first)]
    do throws(ExpressionError) {
      if let value = try contexts.whole(name) { return value }
      throw ExpressionError(.unknownContext, "unknown context '\(name)'")
    } catch {
      throw error.placed(at: node)
    }
  }

  private func member(
    _ name: String, _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    do throws(ExpressionError) {
      return try contexts.member(name, of: storage.program.names[Int(node.first)]) ?? .null
    } catch {
      throw error.placed(at: node)
    }
  }

  private mutating func indexed(
    _ node: ExpressionProgram.Node, in contexts: borrowing some ExpressionContexts
  ) throws(ExpressionError) -> JSONValue {
    let target = try value(of: node.first, in: contexts)
    let applies = isFiltered
    guard target.isCollection else {
      isFiltered = false
      return .null
    }
    let key = try value(of: node.second, in: contexts)
    isFiltered = applies
    if applies, case .array(let elements) = target {
      return .array(elements.compactMap { Self.element(key, of: $0) })
    }
    return Self.element(key, of: target) ?? .null
  }

  /// Returns the value of `target[key]`, or nil if there is none.
  private static func element(_ key: JSONValue, of target: JSONValue) -> JSONValue? {
    switch target {
    case .array(let elements): JSONValue.index(from: key.coercedNumber, in: elements).map { elements[$0] }
    case .object: key.isCollection ? nil : target.expressionMember(key.coercedString)
    default: nil
    }
  }

  /// Returns the value of `target.*`: its elements or members; for a filtered list, those of each of its elements.
  private mutating func filtered(_ target: JSONValue) -> JSONValue {
    let applies = isFiltered
    isFiltered = true
    switch target {
    case .object(let members): return .array(Array(members.values))
    case .array(let elements) where applies:
      var result: [JSONValue] = []
      for element in elements {
        switch element {
        case .object(let members): result += members.values
        case .array(let elements): result += elements
        default: break
        }
      }
      return .array(result)
    case .array: return target
    default: return .array([])
    }
  }

  // MARK: Comparisons

  private enum Order {
    case less, equal, greater
    /// The values are neither ordered nor equal.
    case none

    init<Value: Comparable>(_ left: Value, _ right: Value) {
      self = left == right ? .equal : left < right ? .less : left > right ? .greater : .none
    }
  }

  private func holds(_ node: ExpressionProgram.Node, _ left: JSONValue, _ right: JSONValue) -> Bool {
    let order: Order
    switch (left, right) {
    case (.int(let left), .int(let right)): order = Order(Double(left), Double(right))
    case (.string(let left), .string(let right)): order = Order(OrdinalIgnoreCase.compare(left, right), 0)
    case (.null, .null): order = .equal
    case (.array, .array), (.object, .object):
      // Values have no identity. Two lists or objects are the same if they come from the same place of a context.
      let place = program.fixedPlace(of: node.first)
      order = place != nil && place == program.fixedPlace(of: node.second) ? .equal : .none
    default: order = Order(left.coercedNumber, right.coercedNumber)
    }
    return switch node.kind {
    case .equal: order == .equal
    case .notEqual: order != .equal
    case .less: order == .less
    case .lessOrEqual: order == .less || order == .equal
    case .greater: order == .greater
    default: order == .greater || order == .equal
    }
  }
}
