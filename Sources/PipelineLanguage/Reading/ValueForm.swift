import Values

/// What may stand behind a key: the loader reads by it, and `PipelineSchema` spells it out for editors.
indirect enum ValueForm: Sendable {
  /// Any text; numbers and booleans count as the text that was written.
  case text
  /// Text in which `${{ }}` may stand.
  case template
  /// Text in which no `${{ }}` may stand.
  case script
  /// An expression, with or without `${{ }}` around it.
  case expression
  /// A formula over specifications.
  case formula
  case bool
  /// A whole number within these bounds.
  case int(minimum: Int, maximum: Int = .max)
  case number
  /// A length of time with its units.
  case duration
  /// An amount of bytes with its unit.
  case size
  /// A name that matches a regular expression.
  case name(pattern: String)
  case choice([String])
  /// Any data, with expressions in its strings.
  case data
  /// A type in the notation of `ValueType`.
  case type
  case list(ValueForm, minimum: Int)
  /// A mapping whose keys are chosen by the author and match `keyPattern`.
  case map(keyPattern: String, ValueForm)
  /// A mapping with these keys, and others that are chosen by the author and match `keyPattern`, but not `except`.
  case keysAndMap([KeyRow], keyPattern: String, except: String, ValueForm)
  /// A mapping with these keys.
  case keys([KeyRow])
  /// A mapping with exactly one of these keys.
  case oneKey([KeyRow])
  case anyOf([ValueForm])
  /// An operation or, under `after`, a handler.
  case operation
  /// What several operations have in common.
  case operationTemplate

  /// The form as the language reference names it.
  var name: String {
    switch self {
    case .text: "text"
    case .template: "text, may hold `${{ }}`"
    case .script: "script, no `${{ }}`"
    case .expression: "expression"
    case .formula: "formula of specifications"
    case .bool: "`true` or `false`"
    case .int(let minimum, .max): "whole number, at least \(minimum)"
    case .int(let minimum, let maximum): "whole number, \(minimum) to \(maximum)"
    case .number: "number"
    case .duration: "duration such as `30s`, `1h30m`, `200ms`"
    case .size: "size such as `64MiB`"
    case .name: "name"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: " or ")
    case .data: "any data, may hold `${{ }}`"
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

/// The regular expressions that names must match, in the one spelling that the schema and the messages share.
enum NamePattern {
  static let operation = "^[A-Za-z_][A-Za-z0-9_-]{0,99}$"
  static let pipeline = "^[A-Za-z_][A-Za-z0-9_.-]{0,99}$"
  static let variable = "^[A-Za-z_][A-Za-z0-9_]*$"
  static let member = "^[A-Za-z_][A-Za-z0-9_-]*$"
  static let plugin = "^[a-z][a-z0-9-]{0,63}$"
  static let offer = #"^[a-z][a-z0-9-]{0,63}(\.[a-z][a-z0-9-]{0,63})?$"#
  static let anything = "^[^\\u0000]*$"
  static let field = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
  /// What no list of a matrix may be called: it would be taken for a key of the matrix.
  static let misspeltMatrixKey = "^(?!(in|ex)clude$)([Ii][Nn]|[Ee][Xx])[Cc][Ll][Uu][Dd][Ee]$"
  static let hash = "^[0-9a-f]{64}$"
}
