import Expressions
import OrderedCollections
import Values

/// Data in a pipeline file with expressions in some of its strings.
public indirect enum DataTemplate: Sendable {
  /// Data without any expression.
  case literal(JSONValue)
  /// A string with expressions in it.
  case template(Template)
  /// A list that holds an expression somewhere.
  case array([DataTemplate])
  /// A mapping that holds an expression somewhere, in the order of the file.
  case object([(name: String, value: DataTemplate)])

  /// Whether there is no expression in it.
  var isLiteral: Bool {
    switch self {
    case .literal: true
    case .template(let template): template.isLiteral
    case .array(let elements): elements.allSatisfy(\.isLiteral)
    case .object(let members): members.allSatisfy(\.value.isLiteral)
    }
  }

  /// The data with every expression replaced by its value in `contexts`.
  ///
  /// - Throws: What the first expression that fails throws.
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
