import OrderedCollections
import PluginHost
import Values

/// The JSON Schemas of the pipeline language and of a host's file, generated from the loader's own tables.
public enum PipelineSchema {
  /// Returns the schema, in draft 2020-12, for editors that complete keys and check forms.
  ///
  /// It accepts every file that the loader accepts. What a schema cannot express (references, types, cycles) is left to `check`.
  ///
  /// - Parameters:
  ///   - plugins: Plugins with known offers, for which `with` is described according to `uses`. Others may be used as well.
  ///   - isIncluded: Whether the schema is for included files rather than for pipelines.
  /// - Returns: The schema, an object.
  public static func jsonSchema(plugins: [PluginDescription] = [], isIncluded: Bool = false) -> JSONValue {
    var root = keys(isIncluded ? IncludedKey.table.rows : PipelineKey.table.rows, isPartial: isIncluded)
    root.updateValue(ownKeys, forKey: "patternProperties", insertingAt: 2)
    root.updateValue("https://json-schema.org/draft/2020-12/schema", forKey: "$schema", insertingAt: 0)
    let title: JSONValue = isIncluded ? "File that Penstock pipelines include" : "Penstock pipeline"
    root.updateValue(title, forKey: "title", insertingAt: 1)
    root["$defs"] = [
      "operation": .object(operation()), "extension": .object(keys(OperationKey.table.rows, isPartial: true)),
      "type": type(),
    ]
    let builtIn = HTTPPlugin.described.map { [$0.description] } ?? []
    return PluginSchema(builtIn + plugins).added(to: .object(root))
  }

  /// Returns the schema of a host's file, in draft 2020-12.
  ///
  /// It accepts every file that ``HostDefinition/load(path:)`` accepts, except for one without keys.
  public static func hostJSONSchema() -> JSONValue {
    var root = keys(HostKey.table.rows)
    root.updateValue(ownKeys, forKey: "patternProperties", insertingAt: 2)
    root.updateValue("https://json-schema.org/draft/2020-12/schema", forKey: "$schema", insertingAt: 0)
    root.updateValue("Penstock host", forKey: "title", insertingAt: 1)
    return .object(root)
  }

  private static let ownKeys: JSONValue = .object([
    "^\(PipelineKey.ownPrefix)": ["description": "The author's own, such as a place for YAML anchors."]
  ])

  private typealias Members = OrderedDictionary<String, JSONValue>

  private static func operation() -> Members {
    var members = keys(OperationKey.table.rows)
    members["oneOf"] = .array(ActionKey.allCases.map { ["required": [.string($0.rawValue)]] })
    return members
  }

  /// Returns the schema of a type: a name, a list of one type, or an object of types.
  private static func type() -> JSONValue {
    let names = ValueType.names.map { JSONValue.string($0) }
    return [
      "description":
        "A type: string int number bool duration size timestamp date json none file, [T], {field: T, optional?: T}.",
      "anyOf": [
        ["enum": .array(names)],
        ["type": "string", "pattern": "^\\s*[\\[{]"],
        ["type": "array", "items": ["$ref": "#/$defs/type"], "minItems": 1, "maxItems": 1],
        ["type": "object", "additionalProperties": ["$ref": "#/$defs/type"]],
      ],
    ]
  }

  /// Returns the schema of a mapping.
  ///
  /// - Parameters:
  ///   - rows: The keys of the mapping.
  ///   - isPartial: Whether it is part of a mapping, in which nothing is required.
  /// - Returns: The schema.
  private static func keys(_ rows: [KeyRow], isPartial: Bool = false) -> Members {
    var properties: Members = [:]
    for row in rows where row.isAvailable {
      var property = schema(of: row.form, isPartial)
      property["description"] = .string(description(of: row))
      properties[row.key] = .object(property)
    }
    var members: Members = ["type": "object", "properties": .object(properties)]
    let required = rows.filter { $0.isRequired && $0.isAvailable }.map { JSONValue.string($0.key) }
    if !required.isEmpty, !isPartial { members["required"] = .array(required) }
    members["additionalProperties"] = false
    return members
  }

  private static func description(of row: KeyRow) -> String {
    var text = row.summary
    if let standard = row.defaultText { text += " Default: \(standard)." }
    if let actions = row.actions {
      text += " Only with \(actions.map(\.rawValue).joined(separator: ", "))."
    }
    return text
  }

  private static func schema(of form: ValueForm, _ isPartial: Bool = false) -> Members {
    // An unquoted number or boolean is read as its text.
    let scalar: JSONValue = ["string", "number", "boolean"]
    switch form {
    case .text, .template, .expression: return ["type": scalar]
    case .formula: return ["type": "string", "not": ["pattern": "^\\s*\\$\\{\\{"]]
    // A pattern matches every value that is not a string, so `not` alone would reject those.
    case .script: return ["type": scalar, "not": ["type": "string", "pattern": "\\$\\{\\{"]]
    case .bool: return ["type": "boolean"]
    case .int(let minimum, let maximum):
      var members: Members = ["type": "integer", "minimum": .int(Int64(minimum))]
      if maximum < .max { members["maximum"] = .int(Int64(maximum)) }
      return members
    case .number: return ["type": "number"]
    case .duration:
      return ["type": ["string", "integer"], "pattern": "^(0|([0-9]+(\\.[0-9]{1,9})?(ms|[smhdw]))+)$", "maximum": 0]
    case .size:
      return ["type": ["string", "integer"], "pattern": "^[0-9]+(\\.[0-9]+)? *([KMGT]i?B|kB|B)?$", "minimum": 0]
    // A number cannot be a name; an unquoted `true` can.
    case .name(let pattern): return ["type": ["string", "boolean"], "pattern": .string(pattern)]
    case .choice(let words):
      // A word that is a number may also be written without quotes.
      let numbers = words.compactMap { YAMLCoreSchema.value(of: $0) }.filter { $0.stringValue == nil }
      return ["enum": .array(words.map { .string($0) } + numbers)]
    case .data: return [:]
    case .type: return ["$ref": "#/$defs/type"]
    case .list(let element, let minimum):
      var members: Members = ["type": "array", "items": .object(schema(of: element))]
      if minimum > 0 { members["minItems"] = .int(Int64(minimum)) }
      return members
    case .map(let pattern, let value):
      return [
        "type": "object", "propertyNames": ["pattern": .string(pattern)],
        "additionalProperties": .object(schema(of: value, isPartial)),
      ]
    case .keysAndMap(let rows, let pattern, let exception, let value):
      var members = keys(rows, isPartial: isPartial)
      members["propertyNames"] = ["pattern": .string(pattern), "not": ["pattern": .string(exception)]]
      members["additionalProperties"] = .object(schema(of: value, isPartial))
      return members
    case .keys(let rows): return keys(rows, isPartial: isPartial)
    case .oneKey(let rows):
      var members = keys(rows)
      members["minProperties"] = 1
      members["maxProperties"] = 1
      return members
    case .anyOf(let forms): return ["anyOf": .array(forms.map { .object(schema(of: $0, isPartial)) })]
    case .operation:
      // Keys that an operation lacks may come from its template.
      return [
        "if": ["type": "object", "required": ["extends"]],
        "then": ["allOf": [["$ref": "#/$defs/extension"]], "required": ["name"]],
        "else": ["$ref": "#/$defs/operation"],
      ]
    case .operationTemplate:
      return ["allOf": [["$ref": "#/$defs/extension"]], "not": ["required": ["name"]]]
    }
  }
}
