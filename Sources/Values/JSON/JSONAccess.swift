import OrderedCollections

extension JSONValue {
  /// The text of a string, or nil for any other value.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The value of a boolean, or nil for any other value.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// A whole number that fits 64 bits, even if written as `3.0`, or nil for any other value.
  public var intValue: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number, rounded to a double if necessary, or nil for any other value.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The elements of an array, or nil for any other value.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, or nil for any other value.
  public var objectValue: OrderedDictionary<String, JSONValue>? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether the value is null.
  public var isNull: Bool { self == .null }

  /// The member with exactly this name, or nil if there is none or the value is not an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element at `index`, counted from 0, or nil if there is none or the value is not an array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The kind of value, for messages: `null`, `bool`, `int`, `number`, `string`, `list` or `object`.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .int: "int"
    case .double: "number"
    case .string: "string"
    case .array: "list"
    case .object: "object"
    }
  }
}

// Null deliberately has no literal: in `condition ? value : nil` it would be used where a missing value is meant.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `true` and `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// A number with a fraction.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object; if several members have the same name, the last one is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(OrderedDictionary(elements, uniquingKeysWith: { _, last in last }))
  }
}
