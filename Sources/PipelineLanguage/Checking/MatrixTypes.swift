import OrderedCollections
import Values

/// The type of a matrix's combinations, as far as it is known before a run.
///
/// A name is optional if some combination may lack it; it is required only if every combination certainly has it.
struct MatrixTypes {
  private let draft: OperationDraft.MatrixDraft
  private let siteTypes: [ValueType]
  private var lists: OrderedDictionary<String, ValueType> = [:]
  /// The type of one combination.
  private(set) var item: ValueType = .json

  /// Creates the types of `draft`. `elements` returns the element type of a list, or reports that it is not a list; it takes the list, the types of
  /// the sites, and the name for messages.
  init(
    of draft: OperationDraft.MatrixDraft, _ types: [ValueType],
    elements: (PlacedData, [ValueType], String) -> ValueType
  ) {
    self.draft = draft
    siteTypes = types
    for list in draft.lists { lists[list.name] = elements(list.values, types, "'\(list.name)' in the matrix") }
    // For a list that is computed as a whole, only its form can be known.
    var isKnown = true
    for computed in draft.computed {
      _ = elements(computed.list, types, "'\(computed.key.rawValue)' of the matrix")
      if computed.key == .include { isKnown = false }
    }
    guard isKnown else { return }
    item = withInclusions(draft.include ?? [])
  }

  private func withInclusions(_ entries: [PlacedData]) -> ValueType {
    var types = lists.mapValues { [$0] }
    var known: [(names: Set<String>, extendsAll: Bool, mayBeNew: Bool)] = []
    for entry in entries {
      guard case .object(let fields) = TypeInference.type(of: entry, siteTypes: siteTypes) else { return .json }
      for field in fields { types[field.name, default: []].append(field.type) }
      let names = Set(fields.map(\.name))
      let extendsAll = !lists.isEmpty && names.isDisjoint(with: lists.keys)
      known.append((names, extendsAll, !extendsAll && !fitsCertainly(entry)))
    }
    return .object(
      types.map { name, types in
        let isMissing = known.contains { $0.mayBeNew && !$0.names.contains(name) }
        let isOfAll = lists[name] != nil || lists.isEmpty || known.contains { $0.extendsAll && $0.names.contains(name) }
        return ValueType.Field(name: name, type: TypeInference.common(types), isOptional: isMissing || !isOfAll)
      })
  }

  /// Returns whether some combination of the lists certainly has all values of the entry.
  private func fitsCertainly(_ entry: PlacedData) -> Bool {
    guard draft.exclude?.isEmpty ?? true, !draft.computed.contains(where: { $0.key == .exclude }),
      case .literal(.object(let members)) = entry.data, !lists.isEmpty
    else { return false }
    // A computed list may be empty.
    return draft.lists.allSatisfy { list in
      guard case .literal(.array(let values)) = list.values.data, !values.isEmpty else { return false }
      guard let asked = members[list.name] else { return true }
      return values.contains { MatrixCombinations.matches($0, asked) }
    }
  }
}
