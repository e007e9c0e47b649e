extension DocumentReader {
  /// The most combinations of a matrix that is written out: each becomes an attempt with its own record and logs.
  package static let maximumCombinations = 100_000

  /// Keys of a matrix that other tools have: as names of lists they would mean something else in silence.
  private static let matrixKeysToCome = [
    "include": "list the combinations under 'for_each', each as a mapping; a list of another name is a dimension",
    "exclude":
      "leave combinations out by 'when', as in when: ${{ !(item.system == 'freebsd' && item.cpu == 'arm64') }}",
  ]

  /// `for_each` or `matrix`.
  func readLoop(_ key: OperationKey, _ entry: YAMLEntry, into draft: OperationDraft) {
    guard draft.definition.loop == nil else {
      return error(
        .severalLoops, "\(draft.title) has both 'for_each' and 'matrix'", at: entry.key.range,
        fix: "keep one; a list with one entry is a matrix too")
    }
    if key == .matrix { readMatrix(entry.value, into: draft) } else { readForEach(entry.value, into: draft) }
  }

  private func readForEach(_ node: YAMLNode, into draft: OperationDraft) {
    // The loop stands even when its list cannot be read: expressions may name its item.
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
      case .concurrency: loop.concurrency = int(entry.value, "'concurrency'", minimum: 1)
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

  /// A list that is written out, or an expression that yields one.
  private func list(_ node: YAMLNode, _ what: String, into sites: inout [ExpressionSite]) -> PlacedData? {
    if node.items == nil {
      guard let text = node.text, Self.expressionOffset(in: text) != nil else {
        wrongForm(node, what, needs: "a list or an expression that yields one")
        return nil
      }
    }
    return placedData(node, .loop, into: &sites)
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

  private func readMatrix(_ node: YAMLNode, into draft: OperationDraft) {
    guard let entries = node.entries, !entries.isEmpty else {
      return wrongForm(node, "'matrix'", needs: "a mapping of names to lists")
    }
    var lists: [(name: String, values: DataTemplate)] = []
    var combinations = 1
    for entry in entries {
      // In any case: with a dimension 'Include', check would say that all is well.
      if let fix = Self.matrixKeysToCome[entry.name.lowercased()] {
        error(
          .notAvailable, "'\(entry.name)' of a matrix is not available in this version", at: entry.key.range, fix: fix
        )
        continue
      }
      _ = checkName(entry.name, .member, "a name in a matrix", at: entry.key.range)
      let placed = list(entry.value, "'\(entry.name)'", into: &draft.sites)
      lists.append((entry.name, placed?.data ?? .literal(.array([]))))
      if let placed { draft.matrix.append((entry.name, placed)) }
      let (product, overflow) = combinations.multipliedReportingOverflow(by: max(entry.value.items?.count ?? 1, 1))
      combinations = overflow ? .max : product
    }
    if combinations > Self.maximumCombinations {
      error(
        .tooManyItems, "the matrix has more than \(Self.maximumCombinations) combinations",
        at: entries[0].key.range)
    }
    draft.definition.loop = OperationDefinition.Loop(source: .matrix(lists), itemName: "item", concurrency: nil)
  }
}

/// The names of the contexts of expressions.
enum ContextName {
  static let all = ["params", "env", "secrets", "results", "errors", "operations", "run", "item"]
}
