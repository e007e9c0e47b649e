import Expressions

/// A value that an operation receives, and how it is passed.
package struct OperationInput: Sendable, Hashable {
  /// How a value is passed.
  package enum Arrival: Sendable, Hashable {
    case standardInput
    case variable(String)
    /// An argument of a `command`, from 1.
    case argument(Int)
    /// A param of a nested pipeline.
    case parameter(String)
    /// A setting of a plugin's operation.
    case setting(String)
    /// A part of a request.
    case request(String)
    /// The requirement of a plugin's operation, or one member of it.
    case requirement(String?)
    /// The operand of a `value`, `wait` or `approve`.
    case value
    case condition
    case items
    case label
    case until
    case directory
    case exclusive
    /// The path of an artifact.
    case artifact(String)

    /// A short phrase for people.
    package var text: String {
      switch self {
      case .standardInput: "standard input"
      case .variable(let name): "$\(name)"
      case .argument(let number): "argument \(number)"
      case .parameter(let name): "param \(name)"
      case .setting(let name): "setting \(name)"
      case .request(let name): name
      case .requirement(let name): name.map { "requirement \($0)" } ?? "its requirement"
      case .value: "its value"
      case .condition: "its condition"
      case .items: "its items"
      case .label: "its label"
      case .until: "its repetition"
      case .directory: "its directory"
      case .exclusive: "its exclusive name"
      case .artifact(let name): "artifact \(name)"
      }
    }
  }

  package var arrival: Arrival
  /// The value as written in the file: an expression without `${{ }}`, or text that contains expressions.
  package var source: String
  /// The operations whose result, error or state it uses, in the order and spelling of the text.
  package var operations: [String]
  /// All references in the value.
  package var references: [ExpressionReference]
  /// The patterns of each call of `hashFiles` whose patterns are all literals.
  package var filePatterns: [[String]]
  /// The templates that are evaluated; a bare expression becomes a template of its own.
  package var templates: [Template]

  private init(
    _ arrival: Arrival, source: String, references: [ExpressionReference], filePatterns: [[String]],
    templates: [Template]
  ) {
    self.arrival = arrival
    self.source = source
    self.templates = templates
    self.references = references
    self.filePatterns = filePatterns
    var names: [String] = []
    for reference in references where ["results", "errors", "operations", "artifacts"].contains(reference.context) {
      if let name = reference.path.first, OperationName.find(name, among: names) == nil { names.append(name) }
    }
    operations = names
  }

  init(_ arrival: Arrival, _ template: Template) {
    self.init(
      arrival, source: template.wholeExpression?.text ?? template.text, references: template.references,
      filePatterns: template.filePatterns, templates: [template])
  }

  init(_ arrival: Arrival, _ expression: Expression) {
    self.init(
      arrival, source: expression.text, references: expression.references, filePatterns: expression.filePatterns,
      templates: [Template(expression: expression)])
  }

  init(_ arrival: Arrival, _ data: DataTemplate, called name: String? = nil) {
    self.init(
      arrival, source: name.map { "\($0) in \(data.source)" } ?? data.source, references: data.references,
      filePatterns: data.filePatterns, templates: data.templates)
  }
}

extension DataTemplate {
  /// All references in the data, in file order.
  package var references: [ExpressionReference] {
    switch self {
    case .literal: []
    case .template(let template): template.references
    case .array(let elements): elements.flatMap(\.references)
    case .object(let members): members.flatMap(\.value.references)
    }
  }

  /// The templates in the data, in file order.
  package var templates: [Template] {
    switch self {
    case .literal: []
    case .template(let template): [template]
    case .array(let elements): elements.flatMap(\.templates)
    case .object(let members): members.flatMap(\.value.templates)
    }
  }

  /// The patterns of the calls of `hashFiles` in the data; see ``Expression/filePatterns``.
  package var filePatterns: [[String]] {
    switch self {
    case .literal: []
    case .template(let template): template.filePatterns
    case .array(let elements): elements.flatMap(\.filePatterns)
    case .object(let members): members.flatMap(\.value.filePatterns)
    }
  }

  /// The data as written in the file, abbreviated.
  var source: String {
    switch self {
    case .literal(let value): value.text
    case .template(let template): template.wholeExpression?.text ?? template.text
    case .array(let elements): "[" + elements.map(\.source).joined(separator: ", ") + "]"
    case .object(let members): "{" + members.map { "\($0.name): \($0.value.source)" }.joined(separator: ", ") + "}"
    }
  }
}

extension OperationDefinition {
  /// The values with expressions that the operation receives, in an order suitable for people.
  package var inputs: [OperationInput] {
    var inputs: [OperationInput] = []
    if let loop {
      switch loop.source {
      case .list(let list): inputs.append(OperationInput(.items, list))
      case .matrix(let matrix):
        for part in matrix.parts { inputs.append(OperationInput(.items, part.data, called: part.name)) }
      }
    }
    if let label = loop?.label, !label.isLiteral { inputs.append(OperationInput(.label, label)) }
    var isData: Bool { action.kind.key.kind.takesRequirementAsData }
    switch injection {
    case .none: break
    case .automatic(let template):
      inputs.append(OperationInput(isData ? .requirement(nil) : .standardInput, template))
    case .named(let values):
      inputs += values.map { OperationInput(isData ? .requirement($0.name) : .variable($0.name), $0.value) }
    }
    if let stdin { inputs.append(OperationInput(.standardInput, stdin)) }
    inputs += actionInputs
    inputs += environment.filter { !$0.value.isLiteral }.map { OperationInput(.variable($0.name), $0.value) }
    if let directory, !directory.isLiteral { inputs.append(OperationInput(.directory, directory)) }
    if let exclusive, !exclusive.isLiteral { inputs.append(OperationInput(.exclusive, exclusive)) }
    inputs += artifacts.filter { !$0.path.isLiteral }.map { OperationInput(.artifact($0.name), $0.path) }
    if let condition { inputs.append(OperationInput(.condition, condition)) }
    if let until = repetition?.until { inputs.append(OperationInput(.until, until)) }
    return inputs
  }

  private var actionInputs: [OperationInput] {
    var inputs: [OperationInput] = []
    action.kind.forEachTemplate { arrival, template in
      guard !template.isLiteral else { return }
      inputs.append(OperationInput(arrival, template))
    }
    return inputs
  }
}
