import OrderedCollections

/// Encodes Swift values as `JSONValue`, without Foundation.
///
/// Members keep the order in which they are encoded. Durations are written in the notation of pipeline files if that is exact, as it is for whole
/// milliseconds, and otherwise as seconds with nine fractional digits. Numbers that JSON cannot represent, such as NaN, are errors.
public struct ValueEncoder: Encoder {
  fileprivate let node: Node
  /// The path to the value in the whole.
  public let codingPath: [any CodingKey]
  /// Empty.
  public var userInfo: [CodingUserInfoKey: Any] { [:] }

  private init(node: Node, path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  /// Returns the JSON of `value`. Throws `EncodingError`, or errors of the value itself.
  public static func encode(_ value: some Encodable) throws -> JSONValue {
    try encode(value, path: [])
  }

  fileprivate static func encode(_ value: some Encodable, path: [any CodingKey]) throws -> JSONValue {
    switch value {
    case let value as JSONValue: return value
    case let value as String: return .string(value)
    // A float would ask its container to encode a float, in endless recursion.
    case let value as Float: return try encode(Double(value), path: path)
    case let value as Duration: return .string(notation(of: value))
    case let value as Double:
      guard value.isFinite else {
        throw EncodingError.invalidValue(
          value, .init(codingPath: path, debugDescription: "\(value) is not a number in JSON"))
      }
      return .double(value)
    default:
      let encoder = ValueEncoder(node: Node(), path: path)
      try value.encode(to: encoder)
      return encoder.node.value
    }
  }

  private static func notation(of duration: Duration) -> String {
    let text = DurationNotation.format(duration)
    guard DurationNotation.parse(text) != duration else { return text }
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return text }
    return "\(seconds).\(String(attoseconds / 1_000_000_000 + 1_000_000_000).dropFirst())s"
  }

  /// Returns a container for the members of an object.
  public func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beObject()
    return KeyedEncodingContainer(MemberContainer<Key>(node: node, codingPath: codingPath))
  }

  /// Returns a container for the elements of a list.
  public func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beArray()
    return ElementContainer(node: node, codingPath: codingPath)
  }

  /// Returns a container for the value itself.
  public func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueContainer(node: node, codingPath: codingPath)
  }

  fileprivate static func below(_ node: Node, _ path: [any CodingKey], _ key: any CodingKey) -> ValueEncoder {
    ValueEncoder(node: node, path: path + [key])
  }
}

/// A value under construction: `Codable` requires containers that can be filled after their creation.
private final class Node {
  private enum Content {
    case scalar(JSONValue)
    case array([Node])
    case object(OrderedDictionary<String, Node>)
  }

  private var content = Content.object([:])

  var value: JSONValue {
    switch content {
    case .scalar(let value): value
    case .array(let nodes): .array(nodes.map(\.value))
    case .object(let nodes): .object(nodes.mapValues(\.value))
    }
  }

  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  func beObject() {
    if case .object = content { return }
    content = .object([:])
  }

  func beArray() {
    if case .array = content { return }
    content = .array([])
  }

  func set(_ value: JSONValue) { content = .scalar(value) }

  func append(_ value: JSONValue?) -> Node {
    let node = Node()
    if let value { node.set(value) }
    if case .array(var nodes) = content {
      content = .array([])
      nodes.append(node)
      content = .array(nodes)
    }
    return node
  }

  func insert(_ value: JSONValue?, _ name: String) -> Node {
    let node = Node()
    if let value { node.set(value) }
    if case .object(var nodes) = content {
      content = .object([:])
      nodes[name] = node
      content = .object(nodes)
    }
    return node
  }
}

private struct MemberContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node
  let codingPath: [any CodingKey]

  private func insert(_ value: JSONValue, _ key: Key) { _ = node.insert(value, key.stringValue) }

  func encodeNil(forKey key: Key) { insert(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { insert(.bool(value), key) }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T, forKey key: Key) throws {
    insert(try integer(value, codingPath + [key]), key)
  }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    insert(try ValueEncoder.encode(value, path: codingPath + [key]), key)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { below(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { below(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { below(ValueKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { below(key) }

  private func below(_ key: any CodingKey) -> ValueEncoder {
    .below(node.insert(nil, key.stringValue), codingPath, key)
  }
}

private struct ElementContainer: UnkeyedEncodingContainer {
  let node: Node
  let codingPath: [any CodingKey]

  var count: Int { node.count }

  func encodeNil() { _ = node.append(.null) }
  func encode(_ value: Bool) { _ = node.append(.bool(value)) }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws {
    _ = node.append(try integer(value, codingPath + [ValueKey(count)]))
  }
  func encode<T: Encodable>(_ value: T) throws {
    _ = node.append(try ValueEncoder.encode(value, path: codingPath + [ValueKey(count)]))
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    below().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { below().unkeyedContainer() }
  func superEncoder() -> any Encoder { below() }

  private func below() -> ValueEncoder {
    let key = ValueKey(count)
    return .below(node.append(nil), codingPath, key)
  }
}

private struct ValueContainer: SingleValueEncodingContainer {
  let node: Node
  let codingPath: [any CodingKey]

  func encodeNil() { node.set(.null) }
  func encode(_ value: Bool) { node.set(.bool(value)) }
  func encode<T: FixedWidthInteger & Encodable>(_ value: T) throws { node.set(try integer(value, codingPath)) }
  func encode<T: Encodable>(_ value: T) throws { node.set(try ValueEncoder.encode(value, path: codingPath)) }
}

/// Returns a whole number exactly; numbers beyond 64 bits are errors.
private func integer(_ value: some FixedWidthInteger & Encodable, _ path: [any CodingKey]) throws -> JSONValue {
  guard let number = Int64(exactly: value) else {
    throw EncodingError.invalidValue(
      value, .init(codingPath: path, debugDescription: "\(value) does not fit into 64 bits"))
  }
  return .int(number)
}
