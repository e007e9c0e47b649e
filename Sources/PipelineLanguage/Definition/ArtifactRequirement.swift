import Expressions

extension OperationDefinition {
  /// A file that another operation must have kept: an expression that names it and is null if it is missing.
  package struct ArtifactRequirement: Sendable, Hashable {
    package var expression: Expression
    /// The name of the operation, in lower case.
    package var operation: String
    /// The steps after the operation's name: the artifact's name in lower case, and an index before or after it.
    package var steps: [String]

    /// Returns nil for an expression that tolerates a missing file, or does not name one.
    fileprivate init?(_ expression: Expression) {
      let program = expression.storage.program
      guard expression.references.first?.context == "artifacts", let place = program.fixedPlace(of: program.root),
        place.count > 2
      else { return nil }
      self.expression = expression
      operation = place[1]
      steps = Array(place[2...])
    }
  }

  /// The artifacts that the operation receives without a default. Empty if its `when` refers to artifacts or states, because it has then
  /// decided that it can run without them.
  package var requiredArtifacts: [ArtifactRequirement] {
    guard !dependencies.isEmpty, !isAskedAnyway,
      condition?.references.contains(where: { $0.context == "artifacts" }) != true
    else { return [] }
    var found: [ArtifactRequirement] = []
    func add(_ template: Template) {
      for segment in template.segments {
        guard case .expression(let expression, _) = segment, let requirement = ArtifactRequirement(expression) else {
          continue
        }
        found.append(requirement)
      }
    }
    func add(_ data: DataTemplate) {
      switch data {
      case .literal: break
      case .template(let template): add(template)
      case .array(let elements): elements.forEach(add)
      case .object(let members): for member in members { add(member.value) }
      }
    }
    switch injection {
    case .none: break
    case .automatic(let template): add(template)
    case .named(let members): for member in members { add(member.value) }
    }
    action.kind.forEachTemplate { _, data in add(data) }
    for variable in environment { add(variable.value) }
    if let stdin { add(stdin) }
    if let directory { add(directory) }
    return found
  }
}
