import Expressions

extension OperationDefinition {
  /// A file that another operation is to have kept: an expression that names it, and is null without it.
  package struct ArtifactRequirement: Sendable, Hashable {
    package var expression: Expression
    /// The operation, in lower case.
    package var operation: String
    /// What follows its name: the artifact's, in lower case, and an index before or behind it.
    package var steps: [String]

    /// Nil for an expression that may do without the file, or is none of the kind.
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

  /// The artifacts that the operation is given as they are, without a default. Of one that asks for artifacts, or for states, in its `when` there are none: it has
  /// decided that it can do without.
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
