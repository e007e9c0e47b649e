import Values

/// The behaviour of a type in comparisons.
private enum ComparisonClass {
  case number, bool, text, collection
  /// Text that is never a number.
  case notation
  /// Any type, or null.
  case unknown

  init(_ type: ValueType) {
    self =
      switch type {
      case .int, .number: .number
      case .bool: .bool
      case .string, .file, .size: .text
      case .duration, .timestamp, .date: .notation
      case .list, .object: .collection
      case .json, .none: .unknown
      }
  }
}

extension ExpressionTypeCheck {
  /// Reports comparisons whose result never depends on the values.
  mutating func checkComparison(_ node: ExpressionProgram.Node, _ left: ValueType, _ right: ValueType) {
    let isEquality = node.kind == .equal || node.kind == .notEqual
    let code: ExpressionCode = isEquality ? .neverEqual : .noOrder
    switch (ComparisonClass(left), ComparisonClass(right)) {
    case (.unknown, _), (_, .unknown): break
    case (.collection, .collection) where isEquality && sameCollection(node, left, right): break
    case (.collection, _), (_, .collection):
      let sides = "\(Self.phrase(left)) and \(Self.phrase(right))"
      reportWhole(
        node, code, isEquality ? "\(sides) are never equal" : "\(sides) have no order",
        fix: isEquality
          ? "compare their members, their length(…), or toJSON(…) of both" : "compare their members or their length(…)")
    case (.text, .number), (.text, .bool): checkLiteral(node.first, against: right, node, code)
    case (.number, .text), (.bool, .text): checkLiteral(node.second, against: left, node, code)
    case (.notation, .number), (.notation, .bool), (.number, .notation), (.bool, .notation):
      let sides = "\(Self.phrase(left)) and \(Self.phrase(right))"
      reportWhole(node, code, isEquality ? "\(sides) are never equal" : "\(sides) have no order")
    default: break
    }
  }

  /// Returns the type of `+ - * / %`; reports operands that are not numbers.
  mutating func inferArithmetic(_ node: ExpressionProgram.Node) -> Inferred {
    let operands = [node.first, node.second]
    let types = operands.map { infer($0).type }
    let isText = types.allSatisfy { $0 == .string }
    for (operand, type) in zip(operands, types) {
      switch type {
      case .int, .number, .json: continue
      default: break
      }
      reportWhole(
        program.nodes[Int(operand)], .argumentType,
        "'\(node.kind.symbol)' computes with numbers, not with \(Self.phrase(type))",
        fix: Self.remedy(node.kind, type, isText ? operands.map(spelling) : []))
      // If both operands are text, one finding is enough.
      if isText, node.kind == .add { break }
    }
    if node.kind == .divide || node.kind == .remainder, let divisor = program.literal(node.second),
      divisor == .int(0) || divisor == .double(0)
    {
      reportWhole(node, .divisionByZero, "this divides by zero")
    }
    return Inferred(
      type: node.kind != .divide && types == [.int, .int] ? .int : types.contains(.json) ? .json : .number)
  }

  /// Returns the fix for an operand that is not a number.
  private static func remedy(_ kind: ExpressionProgram.Kind, _ type: ValueType, _ texts: [String]) -> String? {
    switch type {
    case .string where texts.count == 2 && kind == .add:
      "texts are joined with format('{0}{1}', \(texts[0]), \(texts[1]))"
    case .string where kind == .add: "texts are joined with format('{0}{1}', …)"
    case .timestamp, .date, .duration: kind == .add || kind == .subtract ? "use addDuration(…)" : nil
    case .list: "its length is length(…)"
    default: nil
    }
  }

  /// Returns whether both sides are the same place of a context, the only way in which two collections can be equal.
  private func sameCollection(_ node: ExpressionProgram.Node, _ left: ValueType, _ right: ValueType) -> Bool {
    let place = program.fixedPlace(of: node.first)
    return place != nil && place == program.fixedPlace(of: node.second)
  }

  /// Reports a text literal that is not a number and is compared with a number or a boolean.
  private mutating func checkLiteral(
    _ index: Int32, against type: ValueType, _ node: ExpressionProgram.Node, _ code: ExpressionCode
  ) {
    guard case .string(let text)? = program.literal(index), text.expressionNumber.isNaN else { return }
    let isTruth = ["true", "false"].contains(text.lowercased())
    let verdict = code == .neverEqual ? "is never equal to" : "has no order with"
    reportWhole(
      node, code, "\(spelling(index)) is not a number and \(verdict) \(Self.phrase(type))",
      fix: isTruth ? "write \(text.lowercased()) without quotes" : nil)
  }

  /// Returns the type of a call; reports invalid arguments.
  mutating func inferCall(_ node: ExpressionProgram.Node) -> Inferred {
    let arguments = Array(program.children(of: node))
    let types = arguments.map { infer($0) }
    let name = node.function.name
    switch node.function {
    case .success, .failure, .always, .cancelled: return Inferred(type: .bool)
    case .contains:
      if case .object = types[0].type {
        wrong(
          arguments[0], "'contains' searches a string or a list, not an object", fix: "use keys(…) to search for a name"
        )
      }
      if types[1].isCollection { wrong(arguments[1], "'contains' cannot search for \(Self.phrase(types[1].type))") }
      return Inferred(type: .bool)
    case .startsWith, .endsWith:
      for (argument, type) in zip(arguments, types) where type.isCollection {
        wrong(argument, "'\(name)' takes a string, not \(Self.phrase(type.type))")
      }
      return Inferred(type: .bool)
    case .format:
      checkFormat(arguments, types)
      return Inferred(type: .string)
    case .join:
      switch types[0].type {
      case .object: wrong(arguments[0], "'join' takes a list, not an object")
      case .list(.list), .list(.object):
        wrong(
          arguments[0], "'join' takes a list of strings or numbers, not \(types[0].type)",
          fix: "choose a member with '.*.name'")
      default: break
      }
      if types.count > 1, types[1].isCollection {
        wrong(arguments[1], "a separator is a string, not \(Self.phrase(types[1].type))")
      }
      return Inferred(type: .string)
    case .toJSON: return Inferred(type: .string)
    case .formatDate, .addDuration: return Inferred(type: inferDate(node.function, arguments, types.map(\.type)))
    case .fromJSON:
      if types[0].isCollection {
        wrong(
          arguments[0], "'fromJSON' takes a string, not \(Self.phrase(types[0].type))",
          fix: "the value needs no conversion")
      } else if case .string(let text)? = program.literal(arguments[0]) {
        do throws(JSONError) {
          _ = try JSONValue.parse(text)
        } catch {
          reportWhole(program.nodes[Int(arguments[0])], .invalidJSON, "fromJSON cannot read the text: \(error)")
        }
      }
      return Inferred(type: .json)
    case .hashFiles:
      for (argument, type) in zip(arguments, types) where type.isCollection {
        wrong(argument, "a pattern is a string, not \(Self.phrase(type.type))")
      }
      return Inferred(type: .string)
    case .length:
      switch types[0].type {
      case .int, .number, .bool: wrong(arguments[0], "\(Self.phrase(types[0].type)) has no length")
      default: break
      }
      return Inferred(type: .int)
    case .keys:
      switch types[0].type {
      case .object, .json, .none: break
      default: wrong(arguments[0], "'keys' takes an object, not \(Self.phrase(types[0].type))")
      }
      return Inferred(type: .list(.string))
    case .first, .last:
      switch types[0].type {
      case .list(let element): return Inferred(type: element)
      case .json, .none: break
      default: wrong(arguments[0], "'\(name)' takes a list, not \(Self.phrase(types[0].type))")
      }
      return Inferred(type: .json)
    case .case:
      for place in stride(from: 0, to: arguments.count - 1, by: 2) {
        switch types[place].type {
        case .bool, .json: break
        case let other:
          wrong(
            arguments[place], "a condition of 'case' is true or false, not \(Self.phrase(other))",
            fix: "compare it, as in '\(spelling(arguments[place])) != null'")
        }
      }
      let values = types.indices.filter { $0 % 2 == 1 || $0 == types.count - 1 }
      return Self.union(values.map { types[$0] })
    }
  }

  private mutating func wrong(_ argument: Int32, _ message: String, fix: String? = nil) {
    reportWhole(program.nodes[Int(argument)], .argumentType, message, fix: fix)
  }

  private mutating func checkFormat(_ arguments: [Int32], _ types: [Inferred]) {
    if types[0].isCollection {
      wrong(arguments[0], "'format' begins with a string, not \(Self.phrase(types[0].type))")
    } else if case .string(let text)? = program.literal(arguments[0]) {
      do throws(ExpressionError) {
        _ = try ExpressionFormat.pieces(of: text, arguments: arguments.count - 1)
      } catch {
        reportWhole(program.nodes[Int(arguments[0])], .formatString, error.message, fix: error.fix)
      }
    }
    for (argument, type) in zip(arguments, types).dropFirst() where type.isCollection {
      wrong(argument, "'format' cannot write \(Self.phrase(type.type))", fix: "use toJSON(\(spelling(argument)))")
    }
  }
}

extension ExpressionTypeCheck.Inferred {
  /// Whether the value is known to be a list or an object.
  fileprivate var isCollection: Bool {
    switch type {
    case .list, .object: true
    default: false
    }
  }
}
