import Expressions

extension OperationDefinition {
  /// Whether an earlier success may be reused.
  package var mayBeReused: Bool { staleAfter != nil || staleWhen != nil }

  /// The names, in lower case, of operations for whose missing result some expression of this operation has a default.
  package var resultsWithDefault: Set<String> {
    var names: Set<String> = condition?.resultsWithDefault ?? []
    switch injection {
    case .none: break
    case .automatic(let template): names.formUnion(template.resultsWithDefault)
    case .named(let members): for member in members { names.formUnion(member.value.resultsWithDefault) }
    }
    action.kind.forEachTemplate { _, template in names.formUnion(template.resultsWithDefault) }
    switch loop?.source {
    case .list(let data): names.formUnion(data.resultsWithDefault)
    case .matrix(let matrix): for part in matrix.parts { names.formUnion(part.data.resultsWithDefault) }
    case nil: break
    }
    names.formUnion(loop?.label?.resultsWithDefault ?? [])
    for variable in environment { names.formUnion(variable.value.resultsWithDefault) }
    for artifact in artifacts { names.formUnion(artifact.path.resultsWithDefault) }
    names.formUnion(stdin?.resultsWithDefault ?? [])
    return names
  }
}

extension DataTemplate {
  fileprivate var resultsWithDefault: Set<String> {
    switch self {
    case .literal: []
    case .template(let template): template.resultsWithDefault
    case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.resultsWithDefault) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.resultsWithDefault) }
    }
  }
}
