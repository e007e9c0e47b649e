import FoundationEssentials

extension QueryExpression where Value: ColumnValue {
  /// Whether the values are the same; missing values equal each other, and nothing else.
  public static func == (left: QueryExpression, right: Value) -> Condition<Root> {
    Condition(node: .binary(Value.isOptional ? "IS" : "=", left.node, .value(of: right)))
  }

  /// Whether the values differ.
  public static func != (left: QueryExpression, right: Value) -> Condition<Root> {
    Condition(node: .binary(Value.isOptional ? "IS NOT" : "<>", left.node, .value(of: right)))
  }

  /// Whether two fields have the same value.
  public static func == (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    Condition(node: .binary("IS", left.node, right.node))
  }

  /// Whether two fields have different values.
  public static func != (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    Condition(node: .binary("IS NOT", left.node, right.node))
  }

  /// Whether the value is one of these. Never true for an empty list.
  public func `in`(_ choices: some Sequence<Value>) -> Condition<Root> {
    var values: [SQLValue] = []
    for choice in choices {
      do {
        values.append(try choice.columnValue())
      } catch {
        return Condition(node: .unsuitable(error.reason))
      }
    }
    return Condition(node: .among(node, values))
  }

  /// Whether the value is at least `low` and at most `high`.
  public func between(_ low: Value, _ high: Value) -> Condition<Root> where Value: OrderedValue {
    Condition(node: .between(node, .value(of: low), .value(of: high)))
  }

  /// Whether the value is at least `low` and at most `high`; unknown if it is missing.
  public func between<Wrapped: OrderedValue>(_ low: Wrapped, _ high: Wrapped) -> Condition<Root>
  where Value == Wrapped? {
    Condition(node: .between(node, .value(of: low), .value(of: high)))
  }
}

/// A column value whose order in SQLite equals its order in Swift. Texts are ordered by their UTF-8 bytes.
public protocol OrderedValue: ColumnValue {}

extension Int: OrderedValue {}
extension Int8: OrderedValue {}
extension Int16: OrderedValue {}
extension Int32: OrderedValue {}
extension Int64: OrderedValue {}
extension UInt: OrderedValue {}
extension UInt8: OrderedValue {}
extension UInt16: OrderedValue {}
extension UInt32: OrderedValue {}
extension UInt64: OrderedValue {}
extension Double: OrderedValue {}
extension Float: OrderedValue {}
extension String: OrderedValue {}
extension Instant: OrderedValue {}
extension Date: OrderedValue {}

extension QueryExpression where Value: OrderedValue {
  /// Whether the value is less.
  public static func < (left: QueryExpression, right: Value) -> Condition<Root> {
    left.compared("<", .value(of: right))
  }
  /// Whether the value is less or equal.
  public static func <= (left: QueryExpression, right: Value) -> Condition<Root> {
    left.compared("<=", .value(of: right))
  }
  /// Whether the value is greater.
  public static func > (left: QueryExpression, right: Value) -> Condition<Root> {
    left.compared(">", .value(of: right))
  }
  /// Whether the value is greater or equal.
  public static func >= (left: QueryExpression, right: Value) -> Condition<Root> {
    left.compared(">=", .value(of: right))
  }
  /// Whether one field's value is less than the other's.
  public static func < (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    left.compared("<", right.node)
  }
  /// Whether one field's value is less than or equal to the other's.
  public static func <= (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    left.compared("<=", right.node)
  }
  /// Whether one field's value is greater than the other's.
  public static func > (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    left.compared(">", right.node)
  }
  /// Whether one field's value is greater than or equal to the other's.
  public static func >= (left: QueryExpression, right: QueryExpression) -> Condition<Root> {
    left.compared(">=", right.node)
  }
}

extension QueryExpression {
  func compared(_ sign: String, _ right: QueryNode) -> Condition<Root> {
    Condition(node: .binary(sign, node, right))
  }

  /// Whether the value is less; unknown if it is missing.
  public static func < <Wrapped: OrderedValue>(left: QueryExpression, right: Wrapped) -> Condition<Root>
  where Value == Wrapped? { left.compared("<", .value(of: right)) }
  /// Whether the value is less or equal; unknown if it is missing.
  public static func <= <Wrapped: OrderedValue>(left: QueryExpression, right: Wrapped) -> Condition<Root>
  where Value == Wrapped? { left.compared("<=", .value(of: right)) }
  /// Whether the value is greater; unknown if it is missing.
  public static func > <Wrapped: OrderedValue>(left: QueryExpression, right: Wrapped) -> Condition<Root>
  where Value == Wrapped? { left.compared(">", .value(of: right)) }
  /// Whether the value is greater or equal; unknown if it is missing.
  public static func >= <Wrapped: OrderedValue>(left: QueryExpression, right: Wrapped) -> Condition<Root>
  where Value == Wrapped? { left.compared(">=", .value(of: right)) }

  /// Whether the value is missing.
  public func isNil<Wrapped>() -> Condition<Root> where Value == Wrapped? { Condition(node: .isNull(node)) }
  /// Whether the value is not missing.
  public func isNotNil<Wrapped>() -> Condition<Root> where Value == Wrapped? { Condition(node: .not(.isNull(node))) }
}

extension QueryExpression where Value: TextValue {
  /// Whether the text contains `part`, byte by byte. Every text contains the empty one.
  public func contains(_ part: String) -> Condition<Root> {
    Condition(node: .binary(">", .function("instr", [node, .value(.text(part))]), .value(.int(0))))
  }

  /// Whether the text begins with `prefix`, byte by byte. Uses an index over the field.
  public func hasPrefix(_ prefix: String) -> Condition<Root> {
    Condition(node: .hasPrefix(node, prefix, upTo: prefix.leastAfterPrefix))
  }
}

/// A text or an optional text. Only `String` and `String?` conform.
public protocol TextValue: ColumnValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

extension String {
  /// The least text, by bytes, that is greater than all texts with this prefix; nil if there is none.
  var leastAfterPrefix: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // The order of UTF-8 is that of the scalars. There are none from D800 to DFFF.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = UnicodeScalar(next) {
        scalars.append(scalar)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
      }
    }
    return nil
  }
}

extension Condition {
  /// Whether both are true.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(node: .and(left.node, right.node))
  }
  /// Whether at least one is true.
  public static func || (left: Condition, right: Condition) -> Condition { Condition(node: .or(left.node, right.node)) }
  /// Whether the condition is false. The negation of unknown is unknown.
  public static prefix func ! (condition: Condition) -> Condition { Condition(node: .not(condition.node)) }
}
