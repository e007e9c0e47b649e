/// Decodes Swift values from `JSONValue`, without Foundation.
///
/// Numbers must fit the requested type exactly; a double without a fraction is an integer. Durations are read in the notation of pipeline files.
/// Null is nil for optionals, and an error for everything else. Members that are not requested are ignored.
public struct ValueDecoder: Decoder {
  let value: JSONValue
  /// The path to the value in the whole.
  public let codingPath: [any CodingKey]
  /// Empty.
  public var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, path: [any CodingKey] = []) {
    self.value = value
    codingPath = path
  }

  /// Decodes a `T` from `value`. Throws `DecodingError`, or errors of `T` itself.
  public static func decode<T: Decodable>(_ type: T.Type = T.self, from value: JSONValue) throws -> T {
    try ValueDecoder(value).decode(type)
  }

  /// Returns the members of an object.
  public func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: JSONValue].self, expected: "an object") }
    return KeyedDecodingContainer(MemberContainer<Key>(members: members, decoder: self))
  }

  /// Returns the elements of a list.
  public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch([JSONValue].self, expected: "a list") }
    return ElementContainer(elements: elements, decoder: self)
  }

  /// Returns the value itself.
  public func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func mismatch<T>(_ type: T.Type, expected: String) -> DecodingError {
    let found = value.text
    let shown = found.utf8.count > 60 ? value.kind : found
    return .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "expected \(expected), found \(shown)"))
  }

  func below(_ key: any CodingKey, _ value: JSONValue) -> ValueDecoder {
    ValueDecoder(value, path: codingPath + [key])
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  /// Whether the value is null.
  public func decodeNil() -> Bool { value.isNull }

  /// Decodes a boolean.
  public func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let value) = value else { throw mismatch(type, expected: "true or false") }
    return value
  }

  /// Decodes a string.
  public func decode(_ type: String.Type) throws -> String {
    guard case .string(let value) = value else { throw mismatch(type, expected: "a string") }
    return value
  }

  /// Decodes any number.
  public func decode(_ type: Double.Type) throws -> Double {
    guard let value = value.doubleValue else { throw mismatch(type, expected: "a number") }
    return value
  }

  /// Decodes any number, rounded.
  public func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  /// Decodes a whole number that fits the type.
  public func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    guard let number = value.intValue, let value = T(exactly: number) else {
      throw mismatch(type, expected: "a whole number from \(T.min) through \(T.max)")
    }
    return value
  }

  /// Decodes anything that is `Decodable`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if type == JSONValue.self, let value = value as? T { return value }
    if type == Duration.self {
      if let duration = try decodeDuration() as? T { return duration }
    }
    if !value.isNull, let refusal = AllowedValues(of: type)?.refusal(of: value) { throw corrupted(refusal) }
    do {
      return try T(from: self)
    } catch DecodingError.dataCorrupted(let context) where type is any RawRepresentable.Type {
      // The compiler's own errors for an enumeration mention Swift types.
      guard context.codingPath.count == codingPath.count else { throw DecodingError.dataCorrupted(context) }
      throw corrupted("\(value.text) is not an allowed value")
    }
  }

  private func corrupted(_ description: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: description))
  }

  private func decodeDuration() throws -> Duration {
    if value == .int(0) { return .zero }
    guard case .string(let text) = value, let duration = DurationNotation.parse(text) else {
      throw mismatch(Duration.self, expected: "a duration such as '1m30s'")
    }
    return duration
  }
}

/// The members of an object.
private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: JSONMembers
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  private func member(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
    }
    return decoder.below(key, value)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key).decode(type)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { try member(ValueKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// The elements of a list, in order.
private struct ElementContainer: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let decoder: ValueDecoder
  var currentIndex = 0

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func element() throws -> ValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self, .init(codingPath: codingPath, debugDescription: "the list has only \(elements.count) elements"))
    }
    return decoder.below(ValueKey(currentIndex), elements[currentIndex])
  }

  private mutating func next<T>(_ body: (ValueDecoder) throws -> T) throws -> T {
    let value = try body(try element())
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try element().decodeNil() else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
  mutating func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    try next { try $0.decode(type) }
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next { try $0.container(keyedBy: type) } }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }
  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
