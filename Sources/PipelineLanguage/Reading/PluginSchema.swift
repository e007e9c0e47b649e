import OrderedCollections
import PluginHost
import Values

/// Adds plugins' offers to the JSON Schema of the language, so that it describes the settings of a known `uses`.
struct PluginSchema {
  private typealias Members = OrderedDictionary<String, JSONValue>

  private let offers: [PluginOffer]

  init(_ plugins: [PluginDescription]) {
    offers = plugins.flatMap(\.offers).sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
  }

  /// Returns the schema with the offers; unchanged if there are none.
  func added(to schema: JSONValue) -> JSONValue {
    guard !offers.isEmpty, var root = schema.objectValue, var definitions = root["$defs"]?.objectValue else {
      return schema
    }
    for offer in offers { definitions[Self.name(of: offer)] = .object(Self.settings(of: offer)) }
    definitions["operation"] = definitions["operation"].map { described($0, .operation) }
    root["$defs"] = .object(definitions)
    guard var properties = root["properties"]?.objectValue else { return .object(root) }
    if let controllers = properties["controllers"]?.objectValue, let forms = controllers["anyOf"]?.arrayValue {
      var controllers = controllers
      controllers["anyOf"] = .array(
        forms.map { form in
          guard var list = form.objectValue, let item = list["items"] else {
            return described(form, .controller)
          }
          list["items"] = described(item, .controller)
          return .object(list)
        })
      properties["controllers"] = .object(controllers)
    }
    if var specifications = properties["specifications"]?.objectValue,
      var value = specifications["additionalProperties"]?.objectValue, let forms = value["anyOf"]?.arrayValue
    {
      value["anyOf"] = .array(forms.map { $0["properties"] == nil ? $0 : described($0, .specification) })
      specifications["additionalProperties"] = .object(value)
      properties["specifications"] = .object(specifications)
    }
    root["properties"] = .object(properties)
    return .object(root)
  }

  /// Returns the schema of a mapping with `uses` and `with`, given the offers of a kind.
  private func described(_ schema: JSONValue, _ kind: PluginOffer.Kind) -> JSONValue {
    let known = offers.filter { $0.kind == kind }
    guard !known.isEmpty, var members = schema.objectValue, var properties = members["properties"]?.objectValue,
      var uses = properties["uses"]?.objectValue
    else { return schema }
    // Editors suggest the listed offers; any other valid id remains allowed.
    let description = uses.removeValue(forKey: "description")
    let choices = known.map { JSONValue.object(["const": .string($0.id), "description": .string($0.summary)]) }
    properties["uses"] = ["anyOf": .array(choices + [.object(uses)]), "description": description ?? ""]
    members["properties"] = .object(properties)
    members["allOf"] = .array(
      known.map { offer in
        let settings: JSONValue = ["$ref": .string("#/$defs/\(Self.name(of: offer))")]
        var consequence: Members = ["properties": ["with": settings]]
        if offer.settings.contains(where: \.isRequired) { consequence["required"] = ["with"] }
        return [
          "if": ["properties": ["uses": ["const": .string(offer.id)]], "required": ["uses"]],
          "then": .object(consequence),
        ]
      })
    return .object(members)
  }

  private static func name(of offer: PluginOffer) -> String { "\(offer.kind.rawValue)-\(offer.id)" }

  // MARK: Settings

  private static func settings(of offer: PluginOffer) -> Members {
    var properties: Members = [:]
    for setting in offer.settings {
      var schema: Members
      if let values = setting.values {
        schema = ["anyOf": [["enum": .array(values)], expression]]
      } else {
        schema = self.schema(of: setting.type, mayBeAbsent: !setting.isRequired)
      }
      var text = setting.summary
      if let standard = setting.defaultValue { text += " Default: \(standard.stringValue ?? standard.text)." }
      schema["description"] = .string(text)
      properties[setting.name] = .object(schema)
    }
    var members: Members = ["type": "object", "description": .string(offer.summary)]
    // An empty `with:` is the same as none.
    if !offer.settings.contains(where: \.isRequired) { members["type"] = ["object", "null"] }
    members["properties"] = .object(properties)
    let required = offer.settings.filter(\.isRequired).map { JSONValue.string($0.name) }
    if !required.isEmpty { members["required"] = .array(required) }
    members["additionalProperties"] = false
    return members
  }

  /// The schema of an expression, which is allowed in place of a literal value.
  private static let expression: JSONValue = ["type": "string", "pattern": "\\$\\{\\{"]

  private static func schema(of type: ValueType, mayBeAbsent: Bool = false) -> Members {
    var forms: [JSONValue]
    switch type {
    case .json: return [:]
    case .string, .file: forms = [["type": "string"]]
    case .timestamp: forms = [["type": "string", "pattern": "^[0-9]{4}-"]]
    case .date: forms = [["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"]]
    case .int: forms = [["type": "integer"]]
    case .number: forms = [["type": "number"]]
    case .bool: forms = [["type": "boolean"]]
    case .duration: forms = [["type": ["string", "integer"], "pattern": "^[0-9]", "maximum": 0]]
    case .size: forms = [["type": ["string", "integer"], "pattern": "^[0-9]", "minimum": 0]]
    case .none: forms = [["type": "null"]]
    case .list(let element): forms = [["type": "array", "items": .object(schema(of: element))]]
    case .object(let fields):
      var properties: Members = [:]
      for field in fields {
        properties[field.name] = .object(schema(of: field.type, mayBeAbsent: field.isOptional))
      }
      let required = fields.filter { !$0.isOptional }.map { JSONValue.string($0.name) }
      forms = [["type": "object", "properties": .object(properties), "required": .array(required)]]
    }
    if mayBeAbsent { forms.append(["type": "null"]) }
    return ["anyOf": .array(forms + [expression])]
  }
}
