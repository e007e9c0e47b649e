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
    case .template: "text, can contain `${{ }}`"
    case .script: "script, no `${{ }}`"
    case .expression: "expression"
    case .formula: "condition on specifications"
    case .bool: "`true` or `false`"
    case .int(let minimum, .max): "whole number, at least \(minimum)"
    case .int(let minimum, let maximum): "whole number, \(minimum) to \(maximum)"
    case .number: "number"
    case .duration: "duration such as `30s`, `1h30m`, `200ms`"
    case .size: "size such as `64MiB`"
    case .name: "name"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: " or ")
    case .data: "any data, can contain `${{ }}`"
    case .type: "type"
    case .list(let element, _): "list of: \(element.name)"
    case .map(_, let value): "mapping of names to: \(value.name)"
    case .keysAndMap(let rows, _, _, let value):
      "mapping of \(rows.map { "`\($0.key)`" }.joined(separator: ", ")), and of names to: \(value.name)"
    case .keys(let rows): "mapping of \(rows.filter(\.isAvailable).map { "`\($0.key)`" }.joined(separator: ", "))"
    case .oneKey(let rows): "mapping of one of \(rows.map { "`\($0.key)`" }.joined(separator: ", "))"
    case .anyOf(let forms): forms.map(\.name).joined(separator: "; or ")
    case .operation: "operation"
    case .operationTemplate: "operation without a `name`"
    }
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
