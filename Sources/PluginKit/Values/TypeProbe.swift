/// Determines what a `Decodable` type decodes, by letting it decode from a decoder that records its requests.
///
/// Works for types whose `Decodable` is synthesized; for every other type, the result is `json`.
final class TypeProbe {
  private var fields: [ValueType.Field] = []
  private var optionals: Set<String> = []
  private var isObject = false

  private init() {}

  /// Returns the type in the pipeline language that `type` decodes from.
  static func valueType<T: Decodable>(of type: T.Type) -> ValueType {
    (try? probe(type))?.type ?? .json
  }

  /// Returns the type and an example of its values.
  static func probe<T: Decodable>(_ type: T.Type) throws -> (type: ValueType, example: T) {
    let probe = TypeProbe()
    let example = try T(from: ProbeDecoder(probe: probe))
    guard probe.isObject else { return (.json, example) }
    return (.object(probe.fields), example)
  }

  func beObject() { isObject = true }

  /// Notes an optional member: the type checks whether it is present.
  func noteOptional(_ name: String) { optionals.insert(name) }

  func note(_ name: String, _ type: ValueType) {
    let field = ValueType.Field(name: name, type: type, isOptional: optionals.contains(name))
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index] = field
    } else {
      fields.append(field)
    }
  }
}

/// Thrown if the type cannot be decoded by the probe, which means `json`.
private struct NotProbed: Error {}

private struct ProbeDecoder: Decoder {
  let probe: TypeProbe
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    probe.beObject()
    return KeyedDecodingContainer(ProbeContainer<Key>(probe: probe))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotProbed() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotProbed() }
}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let probe: TypeProbe
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  // The synthesized code calls this only for optionals, before it decodes them.
  func contains(_ key: Key) -> Bool {
    probe.noteOptional(key.stringValue)
    return true
  }
  func decodeNil(forKey key: Key) -> Bool { false }

  func decode(_ type: Bool.Type, forKey key: Key) -> Bool { note(key, .bool, false) }
  func decode(_ type: String.Type, forKey key: Key) -> String { note(key, .string, "") }
  func decode(_ type: Double.Type, forKey key: Key) -> Double { note(key, .number, 0) }
  func decode(_ type: Float.Type, forKey key: Key) -> Float { note(key, .number, 0) }
  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type, forKey key: Key) -> T { note(key, .int, 0) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if let known = type as? any PluginValue.Type, let value = known.exampleValue as? T {
      return note(key, known.valueType, value)
    }
    let (valueType, example) = try TypeProbe.probe(type)
    return note(key, valueType, example)
  }

  private func note<T>(_ key: Key, _ type: ValueType, _ example: T) -> T {
    probe.note(key.stringValue, type)
    return example
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw NotProbed() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NotProbed() }
  func superDecoder() throws -> any Decoder { throw NotProbed() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw NotProbed() }
}
