/// A number that SQLite computes with. Whole numbers that grow beyond 64 bits make the query fail; a division by zero has no value.
public protocol NumericValue: OrderedValue, AdditiveArithmetic {}

extension Int: NumericValue {}
extension Int32: NumericValue {}
extension Int64: NumericValue {}
extension Double: NumericValue {}

extension QueryExpression where Value: NumericValue {
  private func computed(_ sign: String, _ right: QueryNode) -> QueryExpression {
    // SQLite goes over to floating-point numbers when a whole number overflows; such a result is not decoded as an integer.
    QueryExpression(node: .binary(sign, node, right), decode: decode)
  }

  /// The sum.
  public static func + (left: QueryExpression, right: Value) -> QueryExpression {
    left.computed("+", .value(of: right))
  }
  /// The sum.
  public static func + (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("+", right.node)
  }
  /// The difference.
  public static func - (left: QueryExpression, right: Value) -> QueryExpression {
    left.computed("-", .value(of: right))
  }
  /// The difference.
  public static func - (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("-", right.node)
  }
  /// The product.
  public static func * (left: QueryExpression, right: Value) -> QueryExpression {
    left.computed("*", .value(of: right))
  }
  /// The product.
  public static func * (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("*", right.node)
  }

  /// The sum over all objects, or over each group; 0 of none.
  public var sum: QueryExpression {
    QueryExpression(
      node: .function("coalesce", [.function("sum", [node]), .value(of: Value.zero)]), decode: decode)
  }

  /// The mean over all objects, or over each group; nil of none.
  public var average: QueryExpression<Root, Double?> {
    QueryExpression<Root, Double?>(node: .function("avg", [node]), decode: { Double?.from($0) })
  }
}

extension QueryExpression where Value: NumericValue & BinaryFloatingPoint {
  /// The quotient.
  public static func / (left: QueryExpression, right: Value) -> QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(
      node: .binary("/", left.node, .value(of: right)), decode: { Value?.from($0) })
  }
}

extension QueryExpression where Value: NumericValue & BinaryInteger {
  /// The quotient without its fraction; nil where the divisor is 0.
  public static func / (left: QueryExpression, right: Value) -> QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(
      node: .binary("/", left.node, .value(of: right)), decode: { Value?.from($0) })
  }

  /// The remainder; nil where the divisor is 0.
  public static func % (left: QueryExpression, right: Value) -> QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(
      node: .binary("%", left.node, .value(of: right)), decode: { Value?.from($0) })
  }
}

/// A number that may be missing. Only optionals of ``NumericValue`` conform.
public protocol OptionalNumericValue: ColumnValue {
  /// The number that is there or not.
  associatedtype Number: NumericValue
}

extension Optional: OptionalNumericValue where Wrapped: NumericValue {
  /// The number that is there or not.
  public typealias Number = Wrapped
}

/// What is computed with a missing value is missing.
extension QueryExpression where Value: OptionalNumericValue {
  private func computed(_ sign: String, _ right: QueryNode) -> QueryExpression {
    QueryExpression(node: .binary(sign, node, right), decode: decode)
  }

  /// The sum; missing where the value is.
  public static func + (left: QueryExpression, right: Value.Number) -> QueryExpression {
    left.computed("+", .value(of: right))
  }
  /// The sum; missing where one of the values is.
  public static func + (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("+", right.node)
  }
  /// The difference; missing where the value is.
  public static func - (left: QueryExpression, right: Value.Number) -> QueryExpression {
    left.computed("-", .value(of: right))
  }
  /// The difference; missing where one of the values is.
  public static func - (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("-", right.node)
  }
  /// The product; missing where the value is.
  public static func * (left: QueryExpression, right: Value.Number) -> QueryExpression {
    left.computed("*", .value(of: right))
  }
  /// The product; missing where one of the values is.
  public static func * (left: QueryExpression, right: QueryExpression) -> QueryExpression {
    left.computed("*", right.node)
  }

  /// The sum of the values that are there; 0 of none.
  public var sum: QueryExpression<Root, Value.Number> {
    QueryExpression<Root, Value.Number>(
      node: .function("coalesce", [.function("sum", [node]), .value(of: Value.Number.zero)]),
      decode: { Value.Number.from($0) })
  }

  /// The mean of the values that are there; nil of none.
  public var average: QueryExpression<Root, Double?> {
    QueryExpression<Root, Double?>(node: .function("avg", [node]), decode: { Double?.from($0) })
  }
}

extension QueryExpression where Value: OrderedValue {
  /// The least over all objects, or over each group; nil of none.
  public var minimum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("min", [node]), decode: { Value?.from($0) })
  }

  /// The greatest over all objects, or over each group; nil of none.
  public var maximum: QueryExpression<Root, Value?> {
    QueryExpression<Root, Value?>(node: .function("max", [node]), decode: { Value?.from($0) })
  }
}

extension QueryExpression where Value: ExpressibleByNilLiteral & ColumnValue {
  /// The least of the values that are there; nil of none.
  public var minimum: QueryExpression { QueryExpression(node: .function("min", [node]), decode: decode) }
  /// The greatest of the values that are there; nil of none.
  public var maximum: QueryExpression { QueryExpression(node: .function("max", [node]), decode: decode) }
}

extension Storable {
  /// How many objects there are, in all or in each group: `select(Job.state, Job.count, groupedBy: [Job.state])`.
  public static var count: QueryExpression<Self, Int> { QueryExpression(node: .countAll, decode: { Int.from($0) }) }
}
