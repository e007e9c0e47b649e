import Expressions

extension DocumentReader {
  /// Collects the names under `specifications`, so that conditions before it can use them.
  func declareSpecifications(_ root: YAMLNode) {
    for (position, entry) in (root["specifications"]?.entries ?? []).enumerated() {
      specifications[entry.name] = position
    }
  }

  /// Reads `specifications`, each at the position assigned by ``declareSpecifications(_:)``.
  func specifications(_ node: YAMLNode) -> [PipelineDefinition.Specification] {
    guard let entries = node.entries else {
      wrongForm(node, "'specifications'", needs: "a mapping of names to specifications")
      return []
    }
    return entries.enumerated().map { position, entry in
      checkSpecificationName(entry)
      var specification = PipelineDefinition.Specification(
        name: entry.name, formula: SpecificationFormula(text: "never", root: .never), hold: nil, range: entry.key.range)
      readSpecification(entry, position, into: &specification)
      return specification
    }
  }

  private func checkSpecificationName(_ entry: YAMLEntry) {
    guard checkName(entry.name, .member, "a specification's name", at: entry.key.range) else { return }
    guard SpecificationWord.reserved.contains(entry.name) else { return }
    error(
      .reservedName, "a specification cannot be called '\(entry.name)': the language has that name itself",
      at: entry.key.range)
  }

  private func readSpecification(
    _ entry: YAMLEntry, _ position: Int, into specification: inout PipelineDefinition.Specification
  ) {
    let what = "the specification '\(entry.name)'"
    let use = SpecificationUse.specification(position)
    guard entry.value.entries != nil else {
      if let formula = formula(entry.value, what, use, of: what) { specification.formula = formula }
      return
    }
    var formula: SpecificationFormula?
    var hold: Duration?
    let settings = entry.value.entries?.first { $0.name == "with" }
    readKeys(of: entry.value, SpecificationKey.table, what: what) { key, _, member in
      switch key {
      case .uses:
        if let id = member.value.text, !isNull(member.value), namesPlugin(id, hasSettings: settings != nil) {
          formula = pluginSpecification(id, member.value, with: settings, at: position, what)
        } else {
          formula = self.formula(member.value, "'uses'", use, of: what)
          if let settings, formula != nil {
            error(
              .misplacedKey,
              "'with' has no effect on '\(formula?.text ?? "")': it contains the settings of a plugin",
              at: settings.key.range, fix: "leave it out")
          }
        }
      case .hold: hold = duration(member.value, "'hold'", allowsZero: false)
      case .with: break
      }
    }
    if isMissing("uses", in: entry.value) {
      error(.missingKey, "\(what) needs a 'uses'", at: entry.key.range)
    }
    if let formula { specification.formula = formula }
    specification.hold = hold
  }

  /// Reads a condition over specifications; `what` names it in messages, and `owner` its owner.
  func formula(
    _ node: YAMLNode, _ what: String, _ use: SpecificationUse, of owner: String = "the pipeline"
  ) -> SpecificationFormula? {
    guard !node.isFaulty else { return nil }
    guard let text = node.text, !isNull(node) else {
      wrongForm(node, what, needs: "a condition over specifications")
      return nil
    }
    do {
      let parsed = try SpecificationParser.parse(text, for: use, specifications: specifications)
      for problem in parsed.problems { report(problem, in: node, offset: 0) }
      formulas.append(SpecificationSite(formula: parsed, node: node, use: use, owner: owner))
      return parsed.formula
    } catch {
      report(error, in: node, offset: 0)
      return nil
    }
  }

  // MARK: - Gates

  /// Reads `run_when` and its accompanying keys.
  func readGate(_ key: OperationKey, _ entry: YAMLEntry, into draft: OperationDraft) {
    var gate = draft.gate ?? OperationDraft.GateDraft()
    defer { draft.gate = gate }
    switch key {
    case .runWhen:
      gate.range = entry.value.range
      gate.formula = formula(entry.value, "'run_when'", .runWhen, of: draft.title)
    case .otherwise:
      gate.keys.append(entry)
      gate.otherwise = choice(entry.value, "'otherwise'", OperationDefinition.Gate.Otherwise.self)
    case .waitAtMost:
      gate.keys.append(entry)
      gate.waitAtMost = duration(entry.value, "'wait_at_most'", allowsZero: false)
    default: break
    }
  }

  /// Combines the parts read of a gate.
  func finishGate(of draft: OperationDraft) {
    guard let read = draft.gate else { return }
    guard read.range != nil else {
      for entry in read.keys {
        error(.misplacedKey, "'\(entry.name)' has no effect without 'run_when'", at: entry.key.range)
      }
      return
    }
    guard let formula = read.formula else { return }
    var gate = OperationDefinition.Gate(formula: formula)
    gate.otherwise = read.otherwise ?? .wait
    gate.waitAtMost = read.waitAtMost
    draft.definition.gate = gate
  }
}
