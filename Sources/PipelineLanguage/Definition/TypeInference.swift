import Values

/// Determines the types of literal values, and of data that contains expressions.
enum TypeInference {
  /// Returns the narrowest type of `value` that the notation can express.
  static func type(of value: JSONValue) -> ValueType {
    switch value {
    case .null: return .json
    case .bool: return .bool
    case .int: return .int
    case .double: return .number
    case .string: return .string
    case .array(let elements): return .list(common(elements.lazy.map { type(of: $0) }))
    case .object(let members):
      return .object(members.map { ValueType.Field(name: $0.key, type: type(of: $0.value)) })
    }
  }

  /// Returns the type of `data`, whose expressions have the types in `siteTypes` from `site` on; advances `site` past the last of them.
  static func type(of data: DataTemplate, siteTypes: [ValueType], site: inout Int) -> ValueType {
    switch data {
    case .literal(let value): return type(of: value)
    case .template:
      defer { site += 1 }
      return siteTypes.indices.contains(site) ? siteTypes[site] : .json
    case .array(let elements):
      var types: [ValueType] = []
      for element in elements { types.append(type(of: element, siteTypes: siteTypes, site: &site)) }
      return .list(common(types))
    case .object(let members):
      var fields: [ValueType.Field] = []
      for member in members {
        fields.append(.init(name: member.name, type: type(of: member.value, siteTypes: siteTypes, site: &site)))
      }
      return .object(fields)
    }
  }

  /// Returns the type of placed data.
  static func type(of placed: PlacedData, siteTypes: [ValueType]) -> ValueType {
    var site = placed.firstSite
    return type(of: placed.data, siteTypes: siteTypes, site: &site)
  }

  /// Returns the type, or `json` if it has more than 2,000 parts: values that contain earlier values twice double with every step.
  static func bounded(_ type: ValueType) -> ValueType { isBounded(type) ? type : .json }

  /// Returns whether the type has at most 2,000 parts.
  static func isBounded(_ type: ValueType) -> Bool {
    var budget = 2_000
    return fits(type, &budget)
  }

  private static func fits(_ type: ValueType, _ budget: inout Int) -> Bool {
    budget -= 1
    guard budget >= 0 else { return false }
    switch type {
    case .list(let element): return fits(element, &budget)
    case .object(let fields):
      for field in fields where !fits(field.type, &budget) { return false }
      return true
    default: return true
    }
  }

  /// Returns a common type of `types`: the type itself if they are equal, `number` for integers and other numbers, otherwise `json`.
  static func common(_ types: some Sequence<ValueType>) -> ValueType {
    var result: ValueType?
    for type in types {
      switch (result, type) {
      case (nil, _): result = type
      case (.int?, .number), (.number?, .int): result = .number
      case (let known?, let type) where known != type: return .json
      default: break
      }
    }
    return result ?? .json
  }
}
