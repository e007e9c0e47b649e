import Values

/// The form of a key's value, used by the loader for reading and by `PipelineSchema` for editors.
indirect enum ValueForm: Sendable {
  /// Any text; numbers and booleans count as their source text.
  case text
  /// Text that may contain `${{ }}`.
  case template
  /// Text that must not contain `${{ }}`.
  case script
  /// An expression, with or without `${{ }}` around it.
  case expression
  /// A condition over specifications.
  case formula
  case bool
  /// An integer within these bounds.
  case int(minimum: Int, maximum: Int = .max)
  case number
  /// A duration with units.
  case duration
  /// A number of bytes with a unit.
  case size
  /// A name that matches a regular expression.
  case name(pattern: String)
  case choice([String])
  /// Any data; its strings may contain expressions.
  case data
  /// A type in the notation of `ValueType`.
  case type
  case list(ValueForm, minimum: Int)
  /// A mapping with keys of the author's choice that match `keyPattern`.
  case map(keyPattern: String, ValueForm)
  /// A mapping with these keys, and others of the author's choice that match `keyPattern` but not `except`.
  case keysAndMap([KeyRow], keyPattern: String, except: String, ValueForm)
  /// A mapping with these keys.
  case keys([KeyRow])
  /// A mapping with exactly one of these keys.
  case oneKey([KeyRow])
  case anyOf([ValueForm])
  /// An operation or, under `after`, a handler.
  case operation
  /// The common part of several operations.
  case operationTemplate

  /// The name of the form in the language reference.
  var name: String {
    switch self {
    case .text: "text"
    case .template: "text with expressions"
    case .script: "script without expressions"
    case .expression: "expression"
    case .formula: "condition over specifications"
    case .bool: "`true` or `false`"
    case .int(let minimum, .max): "whole number, at least \(minimum)"
    case .int(let minimum, let maximum): "whole number from \(minimum) to \(maximum)"
    case .number: "number"
    case .duration: "duration, such as `200ms` or `1h30m`"
    case .size: "size, such as `64MiB`"
    case .name: "name"
    case .choice(let words): Self.alternatives(words.map { "`\($0)`" })
    case .data: "data with expressions"
    case .type: "type"
    case .list(let element, _): "list of \(element.pluralName)"
    case .map(_, let value): "mapping of names to \(value.innerName)"
    case .keysAndMap(let rows, _, _, let value):
      "mapping of names to \(value.innerName), with the special keys \(Self.keys(of: rows))"
    case .keys(let rows): "mapping with \(Self.keys(of: rows))"
    case .oneKey(let rows): "mapping with one of \(Self.keys(of: rows))"
    case .anyOf(let forms): forms.map(\.name).joined(separator: "; or ")
    case .operation: "operation"
    case .operationTemplate: "operation without a `name`"
    }
  }

  /// The name as a part of another one.
  private var innerName: String {
    switch self {
    case .anyOf(let forms): "(\(forms.map(\.innerName).joined(separator: " or ")))"
    case .choice: "(\(name))"
    default: name
    }
  }

  /// The name of several such values.
  private var pluralName: String {
    switch self {
    case .text: "texts"
    case .template: "texts with expressions"
    case .expression: "expressions"
    case .formula: "conditions over specifications"
    case .int: name.replacing("number", with: "numbers")
    case .name: "names"
    case .operation: "operations"
    default: innerName
    }
  }

  private static func alternatives(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  private static func keys(of rows: [KeyRow]) -> String {
    rows.filter(\.isAvailable).map { "`\($0.key)`" }.joined(separator: ", ")
  }
}

/// The regular expressions for names, shared by the schema and the messages.
enum NamePattern {
  static let operation = "^[A-Za-z_][A-Za-z0-9_-]{0,99}$"
  static let pipeline = "^[A-Za-z_][A-Za-z0-9_.-]{0,99}$"
  static let variable = "^[A-Za-z_][A-Za-z0-9_]*$"
  static let member = "^[A-Za-z_][A-Za-z0-9_-]*$"
  static let plugin = "^[a-z][a-z0-9-]{0,63}$"
  static let offer = #"^[a-z][a-z0-9-]{0,63}(\.[a-z][a-z0-9-]{0,63})?$"#
  static let anything = "^[^\\u0000]*$"
  static let field = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
  /// The names that a list of a matrix must not have, because they resemble the special keys.
  static let misspeltMatrixKey = "^(?!(in|ex)clude$)([Ii][Nn]|[Ee][Xx])[Cc][Ll][Uu][Dd][Ee]$"
  static let hash = "^[0-9a-f]{64}$"
}
