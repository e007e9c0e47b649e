import OrderedCollections
import Values

extension YAMLNode {
  /// The value of a scalar in the YAML 1.2 core schema: plain `null`, `true`, `12`, `0o17`, `0x1F`, `1.5`, `.inf` and so on have their values, everything
  /// else is a string. Integers beyond 64 bits are doubles. Nil for a sequence or mapping.
  public var coreScalar: JSONValue? {
    guard case .scalar(let text, let style) = content else { return nil }
    if let coreTag { return YAMLCoreSchema.value(of: text, tag: coreTag) ?? .string(text) }
    return style == .plain ? YAMLCoreSchema.value(of: text) : .string(text)
  }

  /// Returns the node as a JSON value: scalars according to ``coreScalar``, sequences as arrays, and mappings as objects with the texts of the keys as
  /// names.
  public func jsonValue() -> JSONValue {
    switch content {
    case .scalar: return coreScalar ?? .null
    case .sequence(let items): return .array(items.map { $0.jsonValue() })
    case .mapping(let entries):
      var object = OrderedDictionary<String, JSONValue>(minimumCapacity: entries.count)
      for entry in entries { object[entry.name] = entry.value.jsonValue() }
      return .object(object)
    }
  }
}
