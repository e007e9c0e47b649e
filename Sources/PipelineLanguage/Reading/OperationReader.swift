import Expressions

extension DocumentReader {
  /// Reads an operation, or a handler if `event` is given. Returns nil if the node is not a mapping.
  func operation(
    _ node: YAMLNode, index: Int, event: PipelineDefinition.Event? = nil, defaults: OperationDefaults
  ) -> OperationDraft? {
    guard let entries = node.entries else {
      wrongForm(node, event == nil ? "an operation" : "a handler", needs: "a mapping")
      return nil
    }
    // Keys that come from a template are written elsewhere.
    let head = entries.first { $0.key.origin == node.origin }?.key.range ?? node.range
    let draft = OperationDraft(
      definition: OperationDefinition(name: "", index: index, action: .nothing, range: head),
      nameRange: head, event: event)
    draft.definition.extent = node.range
    readName(node, head: head, into: draft)
    let actions = actionKeys(of: entries, draft)
    draft.actionKey = actions.count == 1 ? actions[0] : nil
    defaults.apply(to: &draft.definition, draft.actionKey?.kind.share ?? .nothing)
    readKeys(of: node, OperationKey.table) { word, row, entry in
      // For an action that this version does not support, the valid keys are unknown.
      if let only = row.actions, let action = draft.actionKey, !only.contains(action) {
        return error(.misplacedKey, "'\(row.key)' has no effect on '\(action.rawValue)'", at: entry.key.range)
      }
      switch word {
      case .action(let action): if actions.count == 1 { action.kind.read(entry.value, into: draft, by: self) }
      case .around(let key): readModifier(key, entry, into: draft)
      }
    }
    finishEnvironment(of: draft)
    finishGate(of: draft)
    finishLoop(of: draft, node)
    finishLabel(of: draft)
    draft.hasDefaultRetry = defaults.retry != nil
    draft.actionKey?.kind.finish(draft, node, by: self)
    refuseEarlyWords(of: draft)
    if draft.definition.mayBeReused { draft.definition.contentHash = node.contentHash }
    if notesShapes {
      let files = origins(of: draft.environmentFiles, except: draft.environment)
      note(OperationShape(draft.definition, node, files: files), of: draft.definition.name)
    }
    return draft
  }

  private func readName(_ node: YAMLNode, head: SourceRange, into draft: OperationDraft) {
    guard let nameNode = node["name"] else {
      if isMissing("name", in: node) {
        error(
          .missingKey, "\(draft.event == nil ? "an operation" : "a handler") needs a 'name'", at: head)
      }
      return
    }
    draft.nameRange = nameNode.range
    draft.definition.range = nameNode.range
    guard let name = plainText(nameNode, "'name'") else { return }
    // An invalid name still names the operation, so that references to it are not reported as well.
    draft.definition.name = name
    _ = checkName(name, .operation, "an operation's name", at: nameNode.range)
  }

  /// Returns the keys of the entries that name an action; reports if there is not exactly one.
  private func actionKeys(of entries: [YAMLEntry], _ draft: OperationDraft) -> [ActionKey] {
    var found: [(key: ActionKey, range: SourceRange)] = []
    var isMisspelt = false
    for entry in entries {
      // An unavailable template may supply the action.
      guard let place = OperationKey.table.place(of: entry.name), entry.name != OperationKey.extends.rawValue else {
        isMisspelt = true
        continue
      }
      if let action = place.key.action { found.append((action, entry.key.range)) }
    }
    let title = draft.definition.name.isEmpty ? "the operation" : draft.title
    if found.isEmpty, !isMisspelt {
      let actions = ActionKey.allCases.filter { draft.event != nil || !$0.kind.isOnlyForHandlers }
      let keys = actions.map(\.rawValue).joined(separator: ", ")
      error(.noAction, "\(title) does nothing: it needs one of \(keys)", at: draft.nameRange)
    } else if found.count > 1, found[0].range.origin != found[1].range.origin {
      // The operation's own keys come first.
      error(
        .severalActions,
        "\(title) has both '\(found[1].key.rawValue)', of the template, and '\(found[0].key.rawValue)'",
        at: found[0].range, fix: "keep the template's, or let the operation extend another one")
    } else if found.count > 1 {
      error(
        .severalActions, "\(title) has both '\(found[0].key.rawValue)' and '\(found[1].key.rawValue)'",
        at: found[1].range, fix: "make them two operations")
    }
    return found.map(\.key)
  }

  func readModifier(_ key: OperationKey, _ entry: YAMLEntry, into draft: OperationDraft) {
    let value = entry.value
    switch key {
    case .name: break
    case .description: draft.definition.description = text(value, "'description'")
    case .extends: readUnknownTemplate(value)
    case .needs: readNeeds(entry, into: draft)
    case .inject: readInjection(value, into: draft)
    case .requires: draft.definition.requires = type(value)
    case .result:
      draft.resultRange = value.range
      draft.definition.result = type(value)
    case .when:
      draft.conditionRange = value.range
      draft.definition.condition = expression(value, "'when'", .when, into: &draft.sites)
    case .runWhen, .otherwise, .waitAtMost: readGate(key, entry, into: draft)
    case .retry:
      if let retry = retry(value, of: draft.title, words: &draft.earlyWords) { draft.definition.retry = retry }
    case .repeat: draft.definition.repetition = repetition(value, into: &draft.sites)
    case .timeout: setIfRead(&draft.definition.timeout, duration(value, "'timeout'", allowsZero: false))
    case .grace: if let grace = duration(value, "'grace'") { draft.definition.grace = grace }
    case .allowFailure: if let allows = bool(value, "'allow_failure'") { draft.definition.allowFailure = allows }
    case .forEach, .matrix: readLoop(key, entry, into: draft)
    case .failFast:
      draft.loopKeys.append(entry)
      if let failsFast = bool(value, "'fail_fast'") { draft.failFast = failsFast }
    case .maxFailures:
      draft.loopKeys.append(entry)
      draft.maxFailures = int(value, "'max_failures'", minimum: 1)
    case .label: readLabel(entry, into: draft)
    case .exclusive:
      draft.exclusiveRange = value.range
      if value.text == "", !isNull(value) { return wrongForm(value, "'exclusive'", needs: "a name") }
      draft.definition.exclusive = template(value, "'exclusive'", .exclusive, into: &draft.sites)
    case .resources: readAmounts(value, into: draft)
    case .env: draft.environment = environment(value, .environment, into: &draft.sites)
    case .envFile: draft.environmentFiles = settingFiles(value, "'env_file'")
    case .directory:
      setIfRead(&draft.definition.directory, template(value, "'directory'", .directory, into: &draft.sites))
    case .shell: if let shell = shell(value) { draft.definition.shell = shell }
    case .stdin: draft.definition.stdin = template(value, "'stdin'", .stdin, into: &draft.sites)
    case .artifacts: readArtifacts(value, into: draft)
    case .executor:
      if let use = executorUse(value, into: &draft.sites) {
        draft.definition.executor = use.merged(over: draft.definition.executor)
      }
    case .staleAfter: draft.definition.staleAfter = duration(value, "'stale_after'", allowsZero: false)
    case .staleWhen: draft.definition.staleWhen = formula(value, "'stale_when'", .staleWhen, of: draft.title)
    case .params: readNestedParameters(entry, into: draft)
    case .with: readSettings(entry, into: draft)
    case .rerunOnChange, .controllers, .labels, .priority, .queue: break
    }
  }

  /// Combines the environment: `env` takes precedence over `env_file`, in any order, and that over `defaults`.
  private func finishEnvironment(of draft: OperationDraft) {
    let ofFiles = variables(of: draft.environmentFiles)
    if !ofFiles.isEmpty {
      draft.definition.environment = Self.merged(draft.definition.environment, with: ofFiles)
      let names = ofFiles.map(\.name)
      for index in draft.sites.indices where draft.sites[index].use == .environment {
        draft.sites[index].earlierVariables = names + draft.sites[index].earlierVariables
      }
    }
    if !draft.environment.isEmpty {
      draft.definition.environment = Self.merged(draft.definition.environment, with: draft.environment)
    }
  }

  /// Reports the words of `retry.early` that only apply to requests, if the action is not a request.
  private func refuseEarlyWords(of draft: OperationDraft) {
    for word in draft.earlyWords {
      error(
        .misplacedSpecification, "'\(word.name)' can be used only for retries of 'http'", at: word.range)
    }
  }

  private func setIfRead<Value>(_ place: inout Value?, _ value: Value?) {
    if let value { place = value }
  }

  private func readNeeds(_ entry: YAMLEntry, into draft: OperationDraft) {
    guard draft.event == nil else {
      return error(
        .misplacedKey, "'needs' is not allowed in a handler: handlers run when the pipeline has ended",
        at: entry.key.range)
    }
    draft.needs = texts(entry.value, "'needs'", allowsOne: true).map { (name: $0.text, node: $0.node) }
  }

  private func readAmounts(_ node: YAMLNode, into draft: OperationDraft) {
    guard let entries = node.entries else { return wrongForm(node, "'resources'", needs: "a mapping") }
    for entry in entries {
      guard let amount = int(entry.value, "the amount of '\(entry.name)'", minimum: 1) else { continue }
      draft.resources.append((entry.name, amount, entry.key.range, entry.value.range))
    }
  }

  /// Reads the shell and its arguments: `bash` means `[bash, -c]`.
  func shell(_ node: YAMLNode) -> [String]? {
    let isList = node.items != nil
    let words = texts(node, "'shell'", allowsOne: true).map(\.text)
    guard let first = words.first, !first.isEmpty else {
      if isList || node.text == "" { wrongForm(node, "'shell'", needs: "at least a program") }
      return nil
    }
    return isList ? words : [first, "-c"]
  }

  /// Reads environment variables, in file order.
  func environment(
    _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> [(name: String, value: Template)] {
    guard let entries = node.entries else {
      wrongForm(node, "'env'", needs: "a mapping")
      return []
    }
    var variables: [(name: String, value: Template)] = []
    var names: [String] = []
    for entry in entries {
      let isAllowed = checkVariable(entry.key)
      let firstSite = sites.count
      defer { names.append(entry.name) }
      let value = template(entry.value, "the variable '\(entry.name)'", use, into: &sites)
      if sites.count > firstSite { sites[firstSite].earlierVariables = names }
      if isAllowed, let value { variables.append((entry.name, value)) }
    }
    return variables
  }

  /// Returns whether a key can name an environment variable that the author sets.
  func checkVariable(_ key: YAMLNode) -> Bool {
    let name = key.text ?? ""
    guard checkName(name, .variable, "an environment variable", at: key.range) else { return false }
    if name.utf8.starts(with: "PENSTOCK_".utf8) {
      error(
        .reservedName, "'\(name)' cannot be set: names that begin with PENSTOCK_ are the engine's own", at: key.range)
      return false
    }
    return true
  }

  /// Returns `base` with the variables of `own` replacing those of the same name.
  static func merged(
    _ base: [(name: String, value: Template)], with own: [(name: String, value: Template)]
  ) -> [(name: String, value: Template)] {
    guard !base.isEmpty else { return own }
    let names = Set(own.map(\.name))
    return base.filter { !names.contains($0.name) } + own
  }
}
