extension PipelineChecker {
  /// Adds the uses of `params` and `run` in conditions to the expressions outside operations, because a condition has a value at any time.
  func addSpecificationSites() {
    for site in reader.formulas {
      for (template, offset) in site.formula.templates {
        draft.sites.append(
          ExpressionSite(body: .part(template, offset: offset), node: site.node, use: .specification))
      }
    }
    for use in reader.pluginUses {
      use.firstSite = draft.sites.count
      draft.sites += use.sites
    }
  }

  /// Checks all conditions as a whole: cycles, ages that do not exist, unused specifications, and gates that never open.
  func checkSpecifications() {
    guard !reader.formulas.isEmpty || !reader.specifications.isEmpty else { return }
    let components = checkSpecificationCycles()
    checkSizes(in: components)
    checkAges(in: components)
    checkUnusedSpecifications()
    checkGates(in: components)
    draft.definition.hostUse.terminals = reader.formulas.flatMap { site in
      site.formula.terminals.compactMap { reader.hostPlace(of: range(of: $0, in: site)) }
    }
    draft.definition.hostUse.pipelines = reader.formulas.flatMap { site in
      site.formula.pipelines.compactMap { mention in
        reader.hostPlace(of: range(of: mention.place, in: site)).map {
          HostUse.Mention(pipeline: mention.name, place: $0)
        }
      }
    }
  }

  /// Reports the cycles of specifications. Returns the positions, each after the specifications it names where possible.
  private func checkSpecificationCycles() -> [Int] {
    var targets = [[Int]](repeating: [], count: draft.definition.specifications.count)
    for site in reader.formulas {
      guard case .specification(let position) = site.use else { continue }
      targets[position] += site.formula.names.map(\.specification)
    }
    let finder = CycleFinder(targets: targets)
    let components = finder.components()
    for cycle in components.filter(finder.isCycle).flatMap({ finder.cycles(in: $0) }) {
      guard let first = cycle.first, let last = cycle.last else { continue }
      let names = (cycle + [first]).map { draft.definition.specifications[$0].name }
      let message =
        cycle.count == 1
        ? "the specification '\(names[0])' refers to itself: \(names.joined(separator: " → "))"
        : "these specifications refer to each other: \(names.joined(separator: " → "))"
      let range = reader.formulas.lazy.compactMap { site -> SourceRange? in
        guard site.use == .specification(last) else { return nil }
        return site.formula.names.first { $0.specification == first }.map { self.range(of: $0.place, in: site) }
      }.first
      reader.error(.cycle, message, at: range ?? draft.definition.specifications[last].range)
    }
    return components.flatMap { $0 }
  }

  /// The maximum number of terms in a fully expanded condition.
  private static let largestFormula = 10_000
  /// The maximum depth of a fully expanded condition.
  private static let deepestFormula = 200

  /// Reports conditions that, through nested references, expand to more terms than can be evaluated on each change.
  private func checkSizes(in order: [Int]) {
    guard !reader.hasErrors else { return }
    var extents: [Int: SpecificationFormula.Extent] = [:]
    /// Returns nil if the condition is too large, which is reported only once, not again for conditions that name it.
    func accept(_ site: SpecificationSite) -> SpecificationFormula.Extent? {
      let extent = site.formula.formula.root.extent(extents)
      let problem =
        extent.conditions > Self.largestFormula
        ? ("has more than \(Self.largestFormula) terms", "name each specification once")
        : extent.levels > Self.deepestFormula
          ? (
            "is more than \(Self.deepestFormula) levels deep",
            "let fewer specifications refer to one another in a chain"
          ) : nil
      guard let (problem, fix) = problem, let place = site.formula.names.last?.place else { return extent }
      reader.error(
        .specificationTooLarge,
        "expanded, this condition \(problem): its specifications refer to others again and again",
        at: range(of: place, in: site), fix: fix)
      return nil
    }
    for position in order {
      for site in reader.formulas where site.use == .specification(position) { extents[position] = accept(site) }
    }
    for site in reader.formulas {
      if case .specification = site.use { continue }
      _ = accept(site)
    }
  }

  private func range(of place: ParsedFormula.Place, in site: SpecificationSite) -> SourceRange {
    reader.range(in: site.node, offset: place.position - 1, length: place.length)
  }

  /// Reports conditions that use an age where there is none, directly or through a specification.
  private func checkAges(in order: [Int]) {
    let sites = Dictionary(
      reader.formulas.compactMap { site in
        if case .specification(let position) = site.use { (position, site) } else { nil }
      }
    ) { first, _ in first }
    var asking: Set<Int> = []
    for position in order {
      guard let formula = sites[position]?.formula else { continue }
      if !formula.ages.isEmpty || formula.names.contains(where: { asking.contains($0.specification) }) {
        asking.insert(position)
      }
    }
    for site in reader.formulas {
      if case .specification = site.use { continue }
      guard !site.use.hasAge else { continue }
      let fix = site.use == .early ? nil : "to let time pass, use an operation with 'wait'"
      for age in site.formula.ages {
        reader.error(
          .misplacedSpecification,
          "'older-than' can be used only under 'stale_when': '\(site.use.key)' does not refer to an earlier result",
          at: range(of: age, in: site), fix: fix)
      }
      for (position, place) in site.formula.names where asking.contains(position) {
        let name = draft.definition.specifications[position].name
        reader.error(
          .misplacedSpecification,
          "'\(name)' uses 'older-than', which can be used only under 'stale_when': '\(site.use.key)' does not refer to an earlier result",
          at: range(of: place, in: site), fix: fix)
      }
    }
  }

  /// Warns of specifications that no condition names.
  private func checkUnusedSpecifications() {
    // A condition that could not be read may name any of them.
    guard !reader.hasErrors else { return }
    let used = Set(reader.formulas.flatMap { $0.formula.names.map(\.specification) })
    for (position, specification) in draft.definition.specifications.enumerated() where !used.contains(position) {
      // An included file serves several pipelines.
      guard specification.range.origin == 0 else { continue }
      reader.warning(
        .unusedSpecification, "nothing uses the specification '\(specification.name)'", at: specification.range)
    }
  }

  /// Warns of gates that can never open.
  private func checkGates(in order: [Int]) {
    guard !reader.hasErrors else { return }
    var known: [Int: Bool] = [:]
    for position in order {
      known[position] = draft.definition.specifications[position].formula.root.constant(known)
    }
    forEachDraft { operation in
      guard let gate = operation.definition.gate, let range = operation.gate?.range else { return }
      guard gate.formula.root.constant(known) == false else { return }
      reader.warning(.neverRuns, "\(operation.title) never runs: its 'run_when' is never true", at: range)
      // A reused result needs no gate. An operation that fails at its gate still lets handlers of failures run.
      guard !operation.definition.mayBeReused else { return }
      operation.neverRuns = gate.otherwise == .skip || gate.otherwise == .wait && gate.waitAtMost == nil
    }
  }
}

extension SpecificationFormula {
  /// The size of a condition when the specifications it names are expanded.
  fileprivate struct Extent {
    var conditions = 1
    var levels = 1
  }
}

extension SpecificationFormula.Node {
  /// Returns the size of the expanded condition; `known` are the sizes of specifications by position.
  fileprivate func extent(_ known: [Int: SpecificationFormula.Extent]) -> SpecificationFormula.Extent {
    switch self {
    case .named(let position):
      var extent = known[position] ?? SpecificationFormula.Extent()
      extent.levels += 1
      return extent
    case .not(let operand):
      var extent = operand.extent(known)
      extent.levels += 1
      return extent
    case .and(let operands), .or(let operands):
      // Operands are joined in pairs.
      return operands.reduce(into: SpecificationFormula.Extent(conditions: 0, levels: 0)) { extent, operand in
        let next = operand.extent(known)
        extent.conditions += next.conditions
        extent.levels = max(extent.levels, next.levels) + 1
      }
    default: return SpecificationFormula.Extent()
    }
  }
  /// Returns the value if it never changes; otherwise nil. `known` are the constant values of specifications by position.
  fileprivate func constant(_ known: [Int: Bool]) -> Bool? {
    switch self {
    case .always: return true
    case .never: return false
    case .connected, .foreground, .olderThan, .fileExists, .changed, .succeeded, .plugin: return nil
    case .named(let position): return known[position]
    case .not(let operand): return operand.constant(known).map { !$0 }
    case .and(let operands):
      let values = operands.map { $0.constant(known) }
      return values.contains(false) ? false : values.allSatisfy { $0 == true } ? true : nil
    case .or(let operands):
      let values = operands.map { $0.constant(known) }
      return values.contains(true) ? true : values.allSatisfy { $0 == false } ? false : nil
    }
  }
}
