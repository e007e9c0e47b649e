import Expressions
import OrderedCollections
import Values

/// Data in a pipeline file that may contain expressions in its strings.
public indirect enum DataTemplate: Sendable {
  /// Data without expressions.
  case literal(JSONValue)
  /// A string that contains expressions.
  case template(Template)
  /// A list that contains an expression at some level.
  case array([DataTemplate])
  /// A mapping that contains an expression at some level, in file order.
  case object([(name: String, value: DataTemplate)])

  /// Whether the data contains no expressions.
  var isLiteral: Bool {
    switch self {
    case .literal: true
    case .template(let template): template.isLiteral
    case .array(let elements): elements.allSatisfy(\.isLiteral)
    case .object(let members): members.allSatisfy(\.value.isLiteral)
    }
  }

  /// Returns the data with every expression replaced by its value in `contexts`.
  ///
  /// - Throws: The error of the first expression that fails.
  public func evaluate(in contexts: borrowing some ExpressionContexts) throws(ExpressionError) -> JSONValue {
    switch self {
    case .literal(let value): return value
    case .template(let template): return try template.evaluate(in: contexts)
    case .array(let elements):
      var values: [JSONValue] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try element.evaluate(in: contexts)) }
      return .array(values)
    case .object(let members):
      var values: OrderedDictionary<String, JSONValue> = [:]
      for member in members { values[member.name] = try member.value.evaluate(in: contexts) }
      return .object(values)
    }
  }
}
