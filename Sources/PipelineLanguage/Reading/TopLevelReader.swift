import Values

extension DocumentReader {
  /// Reads the whole file from its root node.
  func pipeline(_ root: YAMLNode, source origin: PipelineDefinition.Source) -> PipelineDraft {
    var draft = PipelineDraft(
      definition: PipelineDefinition(source: origin, name: PipelineName.fromFile(origin.path)))
    var operations: YAMLEntry?
    var after: YAMLEntry?
    directory = origin.directory
    declareSpecifications(root)
    readKeys(of: root, PipelineKey.table, what: "a pipeline file", except: PipelineKey.isOwn) { key, _, entry in
      switch key {
      case .operations: operations = entry
      case .after: after = entry
      default: readSetting(key, entry.value, into: &draft)
      }
    }
    // The files are read after the keys that determine their use.
    readParameterFiles(draft.parameterFiles, into: &draft.definition)
    let variables = variables(of: draft.environmentFiles)
    if notesShapes {
      draft.variableFiles = origins(of: draft.environmentFiles, except: draft.definition.environment)
    }
    if !variables.isEmpty {
      draft.definition.environment = Self.merged(variables, with: draft.definition.environment)
    }
    // `defaults` may come after the operations.
    draft.defaults.executor = draft.defaults.executor?.merged(over: draft.executor) ?? draft.executor
    if let operations {
      readOperations(operations.value, into: &draft)
    } else if let entries = root.entries, entries.allSatisfy({ PipelineKey.isKnown($0.name) }) {
      error(.missingKey, "a pipeline needs 'operations'", at: entries.first?.key.range ?? root.range)
    }
    if let after { readHandlers(after.value, into: &draft) }
    draft.definition.settingTexts = found.texts
    return draft
  }

  private func readSetting(_ key: PipelineKey, _ node: YAMLNode, into draft: inout PipelineDraft) {
    switch key {
    case .name:
      if let name = plainText(node, "'name'"), checkName(name, .pipeline, "a pipeline's name", at: node.range) {
        draft.definition.name = name
      }
    case .description: draft.definition.description = text(node, "'description'")
    case .labels: draft.definition.labels = labels(node)
    case .params: draft.definition.parameters = parameters(node)
    case .paramsFile: draft.parameterFiles = settingFiles(node, "'params_file'")
    case .envFile: draft.environmentFiles = settingFiles(node, "'env_file'")
    case .env:
      draft.definition.environment = environment(node, .pipelineEnvironment, into: &draft.sites)
    case .secrets: draft.definition.secrets = secrets(node)
    case .defaults: readDefaults(node, into: &draft)
    case .executor: draft.executor = executorUse(node, into: &draft.sites)
    case .concurrency: draft.definition.concurrency = int(node, "'concurrency'", minimum: 1)
    case .order:
      if let order = choice(node, "'order'", PipelineDefinition.Order.self) { draft.definition.order = order }
    case .overlap:
      if let overlap = choice(node, "'overlap'", PipelineDefinition.Overlap.self) { draft.definition.overlap = overlap }
    case .queue:
      if let name = plainText(node, "'queue'"), checkName(name, .operation, "a queue's name", at: node.range) {
        draft.definition.scheduling.queue = name
        draft.definition.hostUse.queue = hostPlace(of: node.range)
      }
    case .priority:
      let bounds = PipelineScheduling.priorities
      if let priority = int(node, "'priority'", minimum: bounds.lowerBound, maximum: bounds.upperBound) {
        draft.definition.scheduling.priority = priority
      }
    case .onRestart: draft.definition.scheduling.onRestart = choice(node, "'on_restart'", RestartPolicy.self)
    case .startWithin:
      draft.definition.scheduling.startWithin = duration(node, "'start_within'", allowsZero: false)
    case .resources: draft.definition.resources = capacities(node)
    case .timeout: draft.definition.timeout = duration(node, "'timeout'", allowsZero: false)
    case .specifications: draft.definition.specifications = specifications(node)
    case .automatic: draft.definition.automatic = formula(node, "'automatic'", .automatic)
    case .rerunOnChange: draft.definition.rerunOnChange = formula(node, "'rerun_on_change'", .rerunOnChange)
    case .staleWhen: draft.definition.staleWhen = formula(node, "'stale_when'", .staleWhen)
    case .plugins:
      draft.plugins = plugins(node, in: draft.definition.source.directory)
      for plugin in draft.plugins { draft.definition.plugins[plugin.id] = plugin.reference }
    case .controllers: draft.definition.controllers = controllers(node)
    case .retention: draft.definition.retention = retention(node)
    case .operations, .after, .include, .templates: break
    case .http, .uses, .runWhen, .otherwise: break
    }
  }

  private func labels(_ node: YAMLNode) -> [String: String] {
    guard let entries = node.entries else {
      wrongForm(node, "'labels'", needs: "a mapping of names to texts")
      return [:]
    }
    if entries.count > LabelRule.most {
      error(
        .outOfRange, "there are \(entries.count) labels; a pipeline may have \(LabelRule.most)",
        at: entries[LabelRule.most].key.range)
    }
    var labels: [String: String] = [:]
    for entry in entries {
      guard LabelRule.allows(name: entry.name) else {
        error(
          .invalidName, "'\(entry.name)' cannot be the name of a label: it may contain \(LabelRule.nameText)",
          at: entry.key.range)
        continue
      }
      guard let text = plainText(entry.value, "the label '\(entry.name)'") else { continue }
      if let problem = LabelRule.problem(withText: text) {
        error(.outOfRange, "the label '\(entry.name)' \(problem)", at: entry.value.range)
      }
      labels[entry.name] = text
    }
    return labels
  }

  /// Reads `retention`.
  package func retention(_ node: YAMLNode) -> PipelineDefinition.Retention? {
    var retention = PipelineDefinition.Retention()
    readKeys(of: node, RetentionKey.table) { key, _, entry in
      switch key {
      case .keep: retention.keep = int(entry.value, "'keep'", minimum: 0)
      case .olderThan: retention.olderThan = duration(entry.value, "'older_than'", allowsZero: false)
      }
    }
    if let entries = node.entries, entries.isEmpty {
      wrongForm(node, "'retention'", needs: "'keep', 'older_than' or both")
    }
    return retention
  }

  func readDefaults(_ node: YAMLNode, into draft: inout PipelineDraft) {
    readKeys(of: node, DefaultsKey.table) { key, _, entry in
      let value = entry.value
      switch key {
      case .timeout: draft.defaults.timeout = duration(value, "'timeout'", allowsZero: false)
      case .grace: draft.defaults.grace = duration(value, "'grace'")
      case .retry:
        var words: [(name: String, range: SourceRange)] = []
        draft.defaults.retry = retry(value, of: "'defaults'", words: &words)
        for word in words {
          error(
            .misplacedSpecification, "'\(word.name)' can be used only for retries of a single 'http'",
            at: word.range, fix: "write it under 'retry' of the operation")
        }
      case .env: draft.defaults.environment = environment(value, .pipelineEnvironment, into: &draft.sites)
      case .directory: draft.defaults.directory = template(value, "'directory'", .directory, into: &draft.sites)
      case .shell: draft.defaults.shell = shell(value)
      case .executor: draft.defaults.executor = executorUse(value, into: &draft.sites)
      }
    }
  }

  private func capacities(_ node: YAMLNode) -> [(name: String, capacity: Int)] {
    guard let entries = node.entries else {
      wrongForm(node, "'resources'", needs: "a mapping")
      return []
    }
    return entries.map { entry in
      _ = checkName(entry.name, .member, "a resource's name", at: entry.key.range)
      // An invalid capacity still declares the name.
      return (entry.name, int(entry.value, "the capacity of '\(entry.name)'", minimum: 1) ?? .max)
    }
  }

  private func readOperations(_ node: YAMLNode, into draft: inout PipelineDraft) {
    guard let items = node.items else {
      return wrongForm(
        node, "'operations'", needs: "a list of operations",
        fix: node.entries == nil ? nil : "write each one as '- name: …'")
    }
    guard !items.isEmpty else { return wrongForm(node, "'operations'", needs: "at least one operation") }
    draft.operations = operations(items, defaults: draft.defaults)
  }

  private func readHandlers(_ node: YAMLNode, into draft: inout PipelineDraft) {
    var lists: [PipelineDefinition.Event: YAMLNode] = [:]
    readKeys(of: node, EventKey.table) { key, _, entry in
      if let event = PipelineDefinition.Event(rawValue: key.rawValue) { lists[event] = entry.value }
    }
    for event in PipelineDefinition.Event.allCases {
      guard let list = lists[event] else { continue }
      guard let items = list.items else {
        wrongForm(list, "'\(event.rawValue)'", needs: "a list of handlers")
        continue
      }
      for item in items {
        let index = draft.handlers.count
        if let handler = operation(item, index: index, event: event, defaults: draft.defaults) {
          draft.handlers.append(handler)
        }
      }
    }
  }
}

/// The default name of a pipeline.
enum PipelineName {
  /// The path of a pipeline that has no file.
  static let standardInput = "<stdin>"

  /// Returns the file's name without its folder and extension, with '-' for characters that are not allowed in names.
  static func fromFile(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    if file == standardInput { return "stdin" }
    let stem = file.lastIndex(of: ".").map { $0 == file.startIndex ? file[...] : file[..<$0] } ?? file
    var name = ""
    for scalar in stem.unicodeScalars.prefix(100) {
      let isAllowed =
        scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_-.".unicodeScalars.contains(scalar))
      name.unicodeScalars.append(isAllowed ? scalar : "-")
    }
    if DocumentReader.NameRule.pipeline.allows(name) { return name }
    let prefixed = "_" + name.prefix(99)
    return name.isEmpty || name == "-" ? "pipeline" : prefixed
  }
}
