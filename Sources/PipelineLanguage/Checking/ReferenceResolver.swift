import Expressions

/// A place where an operation names another that it depends on.
struct DependencyReference {
  var target: Int
  /// The place of the name; nil for a dependency from `order: chain`.
  var place: Place?

  /// A range of a scalar's text.
  struct Place {
    var node: YAMLNode
    /// The offset of the first Unicode scalar; nil if the whole scalar is the name.
    var offset: Int?
    var length: Int
  }
}

extension PipelineChecker {
  /// Resolves the dependencies of each operation, and reports names of operations that do not exist.
  func resolveReferences() {
    references = Array(repeating: [], count: draft.operations.count)
    for index in draft.operations.indices {
      let operation = draft.operations[index]
      var found: [DependencyReference] = []
      var required: Set<Int> = []
      if draft.definition.order == .chain, index > 0 {
        found.append(DependencyReference(target: index - 1, place: nil))
      }
      for need in operation.needs {
        let place = DependencyReference.Place(node: need.node, offset: nil, length: 0)
        if let target = resolve(need.name, at: place, prefix: "") {
          found.append(DependencyReference(target: target, place: place))
        }
      }
      if let injected = operation.injectedName {
        let place = DependencyReference.Place(node: injected.node, offset: nil, length: 0)
        if let target = resolve(injected.name, at: place, prefix: "") {
          found.append(DependencyReference(target: target, place: place))
          required.insert(target)
        }
      }
      resolveSites(of: operation, own: index, into: &found, &required)
      references[index] = found
      operation.definition.dependencies = Self.ascending(found.map(\.target))
      if !operation.definition.isAskedAnyway { operation.definition.requiredResults = required }
    }
    for index in draft.handlers.indices {
      var found: [DependencyReference] = []
      var required: Set<Int> = []
      if let injected = draft.handlers[index].injectedName {
        _ = resolve(injected.name, at: .init(node: injected.node, offset: nil, length: 0), prefix: "")
      }
      resolveSites(of: draft.handlers[index], own: nil, into: &found, &required)
    }
    for site in draft.sites {
      let references = site.references
      checkSecrets(in: site, references, of: nil)
      checkAvailability(in: site, references, of: nil)
    }
  }

  private func resolveSites(
    of operation: OperationDraft, own: Int?, into found: inout [DependencyReference], _ required: inout Set<Int>
  ) {
    let reach = operation.definition.action.kind.secretReach
    for (index, site) in operation.sites.enumerated() {
      let references = site.references
      guard !references.isEmpty else { continue }
      checkAvailability(in: site, references, of: operation)
      if checkSecrets(in: site, references, of: operation), reach == .expressions || reach == .environment {
        operation.definition.receivesSecret = true
      }
      var withDefault: Set<String>?
      for reference in references {
        switch reference.context {
        case "results", "errors", "operations", "artifacts": break
        default: continue
        }
        // `until` reads the operation's own latest result, which does not make it a cycle.
        if site.use == .until, let name = reference.path.first, OperationName.areSame(name, operation.definition.name) {
          continue
        }
        let place = DependencyReference.Place(
          node: site.node, offset: reference.position - 1, length: reference.length)
        guard let name = reference.path.first else {
          if own != nil { reportWhole(reference, at: place) }
          continue
        }
        guard let target = resolve(name, at: place, prefix: reference.context + ".") else {
          operation.sites[index].hasUnknownName = true
          continue
        }
        found.append(DependencyReference(target: target, place: place))
        guard reference.context == "results", site.use != .when else { continue }
        if withDefault == nil { withDefault = site.resultsWithDefault }
        if withDefault?.contains(name.lowercased()) == false { required.insert(target) }
      }
    }
    switch reach {
    case .environment where hasSecretEnvironment: operation.definition.receivesSecret = true
    case .plugin(let plugin) where draft.definition.plugins[plugin]?.secrets.isEmpty == false:
      operation.definition.receivesSecret = true
    case .nowhere, .expressions, .environment, .plugin: break
    }
  }

  private func resolve(_ name: String, at place: DependencyReference.Place, prefix: String) -> Int? {
    if let index = index(of: name) { return index }
    let message: String
    var fix: String?
    if handlerNames.contains(name.lowercased()) {
      message = "'\(name)' is a handler under 'after': nothing can refer to it"
    } else {
      message = "there is no operation '\(name)'"
      fix = operationSuggestion(for: name, prefix: prefix)
    }
    reader.error(.unknownOperation, message, at: range(of: place), fix: fix)
    return nil
  }

  /// Reports contexts that exist but are not available here; `operation` is nil outside operations.
  private func checkAvailability(
    in site: ExpressionSite, _ references: [ExpressionReference], of operation: OperationDraft?
  ) {
    for reference in references {
      let reason: String
      switch reference.context {
      case "env" where operation != nil:
        let own = site.use.seesOwnVariables ? operation?.definition.environment.map(\.name) ?? [] : []
        checkSpelling(reference, in: site, among: draft.definition.environment.map(\.name) + own)
        continue
      case "run" where site.use == .controller:
        reason = "'run' is not available here: a controller starts before any run, and can use only 'params'"
      case "env", "results", "errors", "operations", "artifacts":
        guard operation == nil else { continue }
        reason =
          switch site.use {
          case .specification:
            "'\(reference.context)' is not available here: a specification can use only 'params' and 'run'"
          case .controller: "'\(reference.context)' is not available here: a controller can use only 'params'"
          default: "'\(reference.context)' is not available here: this is evaluated before any operation runs"
          }
      case "previous":
        if operation?.definition.repetition == nil {
          reason = "'previous' is not available here: only an operation with 'repeat' has it"
        } else if [.when, .loop, .exclusive].contains(site.use) {
          reason = "'previous' is not available here: '\(site.use.key)' is evaluated once, before the first round"
        } else {
          continue
        }
      case "item":
        let loop = operation?.definition.loop
        if loop == nil {
          reason = "'item' is not available here: the operation has neither 'for_each' nor 'matrix'"
        } else if site.use == .loop {
          reason = "'item' is not available here: the list is computed before there are items"
        } else if let name = loop?.itemName, name != "item" {
          reason = "'item' is not available here: it is named '\(name)'"
        } else {
          continue
        }
      default: continue
      }
      reader.error(
        .contextNotAvailable, reason,
        at: reader.range(in: site.node, offset: reference.position - 1, length: reference.length))
    }
  }

  /// Reports a variable whose spelling differs in case from its declaration. Unlike other members, variables are case-sensitive, as in the
  /// process environment.
  private func checkSpelling(_ reference: ExpressionReference, in site: ExpressionSite, among names: [String]) {
    guard let name = reference.path.first, !names.contains(name) else { return }
    let folded = name.lowercased()
    guard let other = names.first(where: { $0.lowercased() == folded }) else { return }
    reader.error(
      ExpressionCode.unknownMember, "'\(reference.context)' has no member '\(name)'",
      at: reader.range(in: site.node, offset: reference.position - 1, length: reference.length),
      fix: "did you mean '\(reference.context).\(other)'?")
  }

  private func reportWhole(_ reference: ExpressionReference, at place: DependencyReference.Place) {
    let example = draft.operations.first?.definition.name ?? "name"
    reader.error(
      .unclearDependency,
      "'\(reference.context)' cannot be used as a whole, because that does not show which operations are needed",
      at: range(of: place), fix: "name the operation, as in '\(reference.context).\(example)'")
  }

  /// Returns the range of a place in the file.
  func range(of place: DependencyReference.Place) -> SourceRange {
    guard let offset = place.offset else { return place.node.range }
    return reader.range(in: place.node, offset: offset, length: place.length)
  }

  private static func ascending(_ targets: [Int]) -> [Int] {
    if targets.count < 2 { return targets }
    var result: [Int] = []
    for target in targets.sorted() where result.last != target { result.append(target) }
    return result
  }
}
