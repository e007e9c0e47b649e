import OrderedCollections
import Values

/// Sample values of types, for checks that need some.
enum SettingsSample {
  /// Returns the minimal settings that the description allows: the required ones, and the defaults that a host fills in; `given` takes precedence.
  static func settings(of offer: PluginOffer, given: JSONValue?) -> JSONValue {
    var members = given?.objectValue ?? [:]
    for setting in offer.settings where members[setting.name] == nil {
      if let value = setting.defaultValue {
        members[setting.name] = value
      } else if setting.isRequired {
        members[setting.name] = setting.values?.first ?? value(of: setting.type)
      }
    }
    return .object(members)
  }

  /// Returns a value of a type.
  static func value(of type: ValueType) -> JSONValue {
    switch type {
    case .string, .file: "sample"
    case .int, .number: 1
    case .bool: true
    case .duration: "1s"
    case .size: "1MiB"
    case .timestamp: "2026-01-31T08:00:00Z"
    case .date: "2026-01-31"
    case .json: .object([:])
    case .none: .null
    case .list(let element): .array([value(of: element)])
    case .object(let fields):
      .object(
        OrderedDictionary(
          fields.filter { !$0.isOptional }.map { ($0.name, value(of: $0.type)) },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  /// Returns the input for `start` of an offer. `directory` is the directory of the pipeline's files.
  static func input(of offer: PluginOffer, directory: String) -> JSONValue {
    let directory = JSONValue.string(directory)
    switch offer.kind {
    case .operation:
      var members: OrderedDictionary<String, JSONValue> = [
        "attempt": 1, "operation": "check", "run": "00000000-0000-0000-0000-000000000000", "pipeline": "check",
        "directory": directory,
      ]
      if let requirement = offer.requirement { members["requirement"] = value(of: requirement) }
      return .object(members)
    case .controller: return .object(["pipeline": "check", "directory": directory])
    case .specification: return .object(["directory": directory])
    }
  }
}
