extension JSONValue: PluginValue {
  /// Reads any value.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      self = decoder.value
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      let members = try container.decode([String: JSONValue].self)
      self = .object(.init(uniqueKeysWithValues: members.sorted { $0.key < $1.key }))
    }
  }

  /// Writes the value as it is. Encoders other than the kit's may lose the order of members.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value):
      try container.encode(Dictionary(value.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last }))
    }
  }

  /// `json`
  public static var valueType: ValueType { .json }
  /// Null.
  public static var exampleValue: JSONValue? { .null }
}
