extension DocumentReader {
  /// The errors that do not count for a template by itself, because the operation that extends it may supply what is missing.
  private static let incomplete: Set<String> = [
    DiagnosticCode.missingKey.rawValue, DiagnosticCode.misplacedKey.rawValue,
    DiagnosticCode.unknownSpecification.rawValue, DiagnosticCode.bodyWithoutMeaning.rawValue,
  ]

  /// Calls `body` with a reader for a part that is only checked by itself, before it is joined with anything.
  ///
  /// - Returns: Whether there are no errors.
  func check(_ body: (DocumentReader) -> Void) -> Bool {
    let trial = sibling()
    body(trial)
    var isSound = true
    for finding in trial.diagnostics where !Self.incomplete.contains(finding.code) {
      report(finding)
      if finding.severity == .error { isSound = false }
    }
    return isSound
  }

  /// Checks a template by itself. Returns whether it has no errors.
  func checkTemplate(_ entry: YAMLEntry) -> Bool {
    guard checkName(entry.name, .member, "a template's name", at: entry.key.range) else { return false }
    guard let entries = entry.value.entries else {
      wrongForm(entry.value, "the template '\(entry.name)'", needs: "a mapping")
      return false
    }
    let place = entry.key.range
    if let name = entries.first(where: { $0.name == OperationKey.name.rawValue }) {
      error(
        .misplacedKey, "'name' belongs to the operations that extend the template", at: name.key.range,
        fix: "leave it out")
      return false
    }
    let actions = entries.compactMap { OperationKey.table.place(of: $0.name)?.key.action }
    if actions.count > 1 {
      error(
        .severalActions,
        "the template '\(entry.name)' has both '\(actions[0].rawValue)' and '\(actions[1].rawValue)'", at: place,
        fix: "make them two templates")
      return false
    }
    return check { trial in
      // The template's own name only serves messages.
      let draft = OperationDraft(
        definition: OperationDefinition(name: entry.name, index: 0, action: .nothing, range: place), nameRange: place,
        event: nil)
      draft.actionKey = actions.first
      trial.readKeys(of: entry.value, TemplateKey.table) { word, _, member in
        switch word {
        case .action(let action): action.kind.read(member.value, into: draft, by: trial)
        case .around(.extends): _ = trial.plainText(member.value, "'extends'")
        case .around(let key): trial.readModifier(key, member, into: draft)
        }
      }
    }
  }

  /// Checks a top-level key of an included file by itself.
  func checkIncluded(_ key: IncludedKey, _ node: YAMLNode) {
    var sites: [ExpressionSite] = []
    switch key {
    case .env: _ = check { _ = $0.environment(node, .pipelineEnvironment, into: &sites) }
    case .defaults:
      _ = check { trial in
        var draft = PipelineDraft(
          definition: PipelineDefinition(
            source: PipelineDefinition.Source(path: "", directory: "", text: "", hash: ""), name: ""))
        trial.readDefaults(node, into: &draft)
      }
    case .specifications: _ = check { _ = $0.specifications(node) }
    case .include, .templates: break
    }
  }

  /// Returns the paths of the files under `include`, with their nodes.
  func includedPaths(_ node: YAMLNode) -> [(path: String, node: YAMLNode)] {
    let nodes = node.items ?? [node]
    if nodes.isEmpty { wrongForm(node, "'include'", needs: "a path or a list of paths") }
    return nodes.compactMap { item in
      guard item.entries == nil, item.items == nil else {
        wrongForm(item, "'include'", needs: "a path or a list of paths", fix: "write the paths alone")
        return nil
      }
      guard let path = plainText(item, "'include'") else { return nil }
      if path.isEmpty || path.utf8.contains(0) {
        wrongForm(item, "'include'", needs: "a path")
        return nil
      }
      if path.contains("://") {
        error(
          .wrongForm, "'include' reads files and never uses the network, found '\(path)'", at: item.range,
          fix: "keep a copy of it beside the pipeline")
        return nil
      }
      return (path, item)
    }
  }

  /// Reports `extends` in an operation that could not be joined with a template.
  func readUnknownTemplate(_ node: YAMLNode) {
    // If there are templates, the unknown one was already reported.
    guard !hasTemplates, let name = plainText(node, "'extends'") else { return }
    error(
      .unknownTemplate, "there is no template '\(name)'", at: node.range,
      fix: "declare it under 'templates' at the top, or include the file that has it")
  }
}
