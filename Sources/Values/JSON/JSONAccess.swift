import OrderedCollections

extension JSONValue {
  /// The text of a string; nil for everything else.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth of a boolean; nil for everything else.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// A number that is whole and fits 64 bits, also when it is written `3.0`; nil for everything else.
  public var intValue: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number, rounded to a double where it must be; nil for everything else.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The elements of an array; nil for everything else.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; nil for everything else.
  public var objectValue: OrderedDictionary<String, JSONValue>? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether the value is null.
  public var isNull: Bool { self == .null }

  /// The member of exactly this name; nil where there is none, or where the value is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element at `index`, from 0; nil where there is none, or where the value is no array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// What kind of value it is, for messages: `null`, `bool`, `int`, `number`, `string`, `list` or `object`.
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

// Null has no literal on purpose: in `condition ? value : nil` it would stand where a missing value is meant.
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
  /// An object; of members with the same name, the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(OrderedDictionary(elements, uniquingKeysWith: { _, last in last }))
  }
}
