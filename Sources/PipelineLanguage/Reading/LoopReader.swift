import Expressions
import Values

extension DocumentReader {
  /// The maximum number of combinations of a literal matrix: each becomes an attempt with its own record and logs.
  package static let maximumCombinations = 100_000

  /// Reads `for_each` or `matrix`.
  func readLoop(_ key: OperationKey, _ entry: YAMLEntry, into draft: OperationDraft) {
    guard draft.definition.loop == nil else {
      return error(
        .severalLoops, "\(draft.title) has both 'for_each' and 'matrix'", at: entry.key.range,
        fix: "keep one; a list with one entry is a matrix too")
    }
    if key == .matrix { readMatrix(entry.value, into: draft) } else { readForEach(entry.value, into: draft) }
  }

  /// Applies the failure limits to a loop, because their keys may come in any order.
  func finishLoop(of draft: OperationDraft, _ node: YAMLNode) {
    if !draft.loopKeys.isEmpty, node[OperationKey.forEach.rawValue] == nil, node[OperationKey.matrix.rawValue] == nil {
      for entry in draft.loopKeys {
        error(.misplacedKey, "'\(entry.name)' has no effect without 'for_each' or 'matrix'", at: entry.key.range)
      }
    }
    draft.definition.loop?.failFast = draft.failFast
    draft.definition.loop?.maxFailures = draft.maxFailures
  }

  private func readForEach(_ node: YAMLNode, into draft: OperationDraft) {
    // The loop exists even if its list cannot be read, because expressions may name its item.
    var loop = OperationDefinition.Loop(source: .list(.literal(.array([]))), itemName: "item", concurrency: nil)
    defer { draft.definition.loop = loop }
    guard node.entries != nil else {
      readList(node, "'for_each'", into: draft, &loop)
      return
    }
    var hasList = false
    readKeys(of: node, ForEachKey.table) { key, _, entry in
      switch key {
      case .in:
        hasList = true
        readList(entry.value, "'in'", into: draft, &loop)
      case .as:
        if let name = itemName(entry.value) { loop.itemName = name }
      case .label: readLabel(entry, into: draft)
      case .concurrency: loop.concurrency = int(entry.value, "'concurrency'", minimum: 1)
      case .failFast, .maxFailures: break
      }
    }
    if !hasList {
      error(.missingKey, "'for_each' needs an 'in'", at: node.entries?.first?.key.range ?? node.range)
    }
  }

  private func readList(
    _ node: YAMLNode, _ what: String, into draft: OperationDraft, _ loop: inout OperationDefinition.Loop
  ) {
    guard let placed = list(node, what, into: &draft.sites) else { return }
    draft.loopList = placed
    loop.source = .list(placed.data)
  }

  /// Reads a literal list, or an expression that yields one.
  private func list(_ node: YAMLNode, _ what: String, into sites: inout [ExpressionSite]) -> PlacedData? {
    guard node.items == nil else { return placedData(node, .loop, into: &sites) }
    return placedExpression(node, .loop, into: &sites) { fix in
      wrongForm(node, what, needs: "a list or an expression that yields one", fix: fix)
    }
  }

  private func itemName(_ node: YAMLNode) -> String? {
    guard let name = plainText(node, "'as'"), checkName(name, .member, "an item's name", at: node.range) else {
      return nil
    }
    if ContextName.all.contains(name.lowercased()) {
      error(.reservedName, "an item cannot be called '\(name)': that is a context's name", at: node.range)
      return nil
    }
    return name
  }

  // MARK: - Matrix

  private func readMatrix(_ node: YAMLNode, into draft: OperationDraft) {
    guard let entries = node.entries, !entries.isEmpty else {
      return wrongForm(node, "'matrix'", needs: "a mapping of names to lists")
    }
    var matrix = OperationDefinition.Matrix()
    var combinations = 1
    for entry in entries {
      if let key = MatrixKey(rawValue: entry.name) {
        readEntries(key, entry, into: draft, &matrix)
        continue
      }
      let folded = entry.name.lowercased()
      if MatrixKey(rawValue: folded) != nil {
        error(
          .reservedName, "a list of a matrix cannot be called '\(entry.name)'", at: entry.key.range,
          fix: "did you mean '\(folded)'?")
        continue
      }
      warnOfNearName(of: entry)
      _ = checkName(entry.name, .member, "a name in a matrix", at: entry.key.range)
      let placed = list(entry.value, "'\(entry.name)'", into: &draft.sites)
      matrix.lists.append((entry.name, placed?.data ?? .literal(.array([]))))
      if let placed { draft.matrix.lists.append((entry.name, placed)) }
      let (product, overflow) = combinations.multipliedReportingOverflow(by: max(entry.value.items?.count ?? 1, 1))
      combinations = overflow ? .max : product
    }
    if combinations > Self.maximumCombinations {
      error(
        .tooManyItems, "the matrix has more than \(Self.maximumCombinations) combinations",
        at: entries[0].key.range)
    }
    checkExclusions(in: entries)
    draft.definition.loop = OperationDefinition.Loop(source: .matrix(matrix), itemName: "item", concurrency: nil)
  }

  /// Warns of a list of mappings whose name resembles `include` or `exclude`: it is treated as an ordinary list.
  private func warnOfNearName(of entry: YAMLEntry) {
    guard let items = entry.value.items, !items.isEmpty, items.allSatisfy({ $0.entries != nil }),
      let near = NearestName.suggestion(for: entry.name.lowercased(), among: MatrixKey.allCases.map(\.rawValue)),
      abs(near.count - entry.name.count) <= 1
    else { return }
    warning(
      .reservedName, "the list '\(entry.name)' of the matrix is one like any other", at: entry.key.range,
      fix: "did you mean '\(near)'?")
  }

  /// Reads `exclude` or `include`: literal or computed mappings, or an expression that yields all of them.
  private func readEntries(
    _ key: MatrixKey, _ entry: YAMLEntry, into draft: OperationDraft, _ matrix: inout OperationDefinition.Matrix
  ) {
    let what = "'\(key.rawValue)'"
    var data: DataTemplate?
    if let items = entry.value.items {
      let placed = items.compactMap { combination($0, "an entry of \(what)", into: &draft.sites) }
      data = Self.list(of: placed.map(\.data))
      if key == .include { draft.matrix.include = placed } else { draft.matrix.exclude = placed }
    } else if let placed = list(entry.value, what, into: &draft.sites) {
      data = placed.data
      draft.matrix.computed.append((key, placed))
    }
    if key == .include { matrix.include = data } else { matrix.exclude = data }
  }

  private func combination(_ node: YAMLNode, _ what: String, into sites: inout [ExpressionSite]) -> PlacedData? {
    guard let entries = node.entries else {
      return placedExpression(node, .loop, into: &sites) { _ in
        wrongForm(node, what, needs: "a mapping of names to values")
      }
    }
    if entries.isEmpty { error(.wrongForm, "\(what) needs at least one name", at: node.range) }
    for entry in entries { _ = checkName(entry.name, .member, "a name in a matrix", at: entry.key.range) }
    return placedData(node, .loop, into: &sites)
  }

  /// Reports entries under `exclude` that cannot exclude anything.
  private func checkExclusions(in entries: [YAMLEntry]) {
    let lists = entries.filter { MatrixKey(rawValue: $0.name.lowercased()) == nil }
    let names = lists.map(\.name)
    if names.isEmpty, !entries.contains(where: { $0.name == MatrixKey.include.rawValue }) {
      return error(.wrongForm, "'matrix' needs at least one list, or 'include'", at: entries[0].key.range)
    }
    let exclusions = entries.first { $0.name == MatrixKey.exclude.rawValue }?.value.items ?? []
    for member in exclusions.lazy.flatMap({ $0.entries ?? [] }) {
      guard let list = lists.first(where: { $0.name == member.name }) else {
        error(
          .unknownKey, "the matrix has no list '\(member.name)', so 'exclude' cannot name it", at: member.key.range,
          fix: suggestion(for: member.name, among: names))
        continue
      }
      guard let values = list.value.items, let asked = plainValue(member.value) else { continue }
      let known = values.map { plainValue($0) }
      if known.allSatisfy({ $0.map { !MatrixCombinations.matches($0, asked) } ?? false }) {
        warning(
          .excludesNothing, "'exclude' excludes nothing here: '\(list.name)' has no such value",
          at: member.value.range,
          fix: asked.stringValue.flatMap { suggestion(for: $0, among: known.compactMap { $0?.stringValue }) })
      }
    }
  }

  /// Returns the value of a node without expressions; reports nothing.
  private func plainValue(_ node: YAMLNode) -> JSONValue? {
    var sites: [ExpressionSite] = []
    guard !node.isFaulty, case .literal(let value) = sibling().data(node, .loop, into: &sites) else { return nil }
    return value
  }
}

/// The names of expression contexts.
enum ContextName {
  static let all = [
    "params", "env", "secrets", "results", "errors", "operations", "artifacts", "run", "item", "previous",
  ]
}
