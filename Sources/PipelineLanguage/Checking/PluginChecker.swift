import PluginHost
import Values

extension PipelineChecker {
  /// Resolves each `uses`, and loads the plugins needed for that.
  func resolvePlugins() {
    var uses = reader.pluginUses
    forEachDraft { operation in if let use = operation.pluginUse { uses.append(use) } }
    checkPluginSecrets()
    warnOfUnusedPlugins(uses)
    if case .unchecked = session.plugins.kind { return }
    // In a recorded run, controllers have already done their work; and it is loaded once for each of its runs.
    for use in uses where !(reader.isRecorded && use.kind == .controller) { use.offer = offer(of: use) }
  }

  private func checkPluginSecrets() {
    let known = draft.definition.secrets.map(\.name)
    for plugin in draft.plugins {
      for (name, range) in plugin.secrets where !known.contains(name) {
        reader.error(
          .unknownSecret, "the pipeline declares no secret '\(name)'", at: range,
          fix: reader.suggestion(for: name, among: known) ?? "declare it at the top: 'secrets: {\(name): {env: …}}'")
      }
    }
  }

  private func warnOfUnusedPlugins(_ uses: [PluginUseDraft]) {
    // Parts that could not be read may use any plugin.
    guard !draft.plugins.isEmpty, !reader.hasErrors else { return }
    let used = Set(uses.map(\.use.plugin))
    for plugin in draft.plugins where !used.contains(plugin.id) {
      reader.warning(.unusedPlugin, "nothing uses the plugin '\(plugin.id)'", at: plugin.range)
    }
  }

  // MARK: - Offers

  private func offer(of use: PluginUseDraft) -> PluginOffer? {
    let id = use.use.plugin
    let plugin: (any PipelinePlugin)?
    if let known = plugins[id] {
      plugin = known
    } else {
      plugin = load(id, for: use)
      plugins[id] = .some(plugin)
    }
    guard let description = plugin?.description else { return nil }
    if let offer = description.offer(use.id, use.kind) { return offer }
    if let other = description.offers.first(where: { $0.id == use.id }) {
      reader.error(
        .wrongKind, "'\(use.id)' is \(other.kind.noun); it belongs under \(other.kind.place)", at: use.node.range)
      return nil
    }
    let near = NearestName.suggestion(
      for: use.id, among: description.offers.filter { $0.kind == use.kind }.map(\.id))
    let all = description.offers.filter { $0.kind == use.kind }.map { "'\($0.id)'" }
    let offered =
      all.isEmpty ? "it has no \(use.kind.rawValue)s" : all.count > 8 ? nil : "it has \(all.joined(separator: ", "))"
    reader.error(
      PluginError.Code.noSuchOffer, "the plugin '\(id)' offers no \(use.kind.rawValue) '\(use.id)'",
      at: use.node.range, fix: near.map { "did you mean '\($0)'?" } ?? offered)
    return nil
  }

  private func load(_ id: String, for use: PluginUseDraft) -> (any PipelinePlugin)? {
    let entry = draft.plugins.first { $0.id == id }
    if id == HTTPPlugin.id {
      if let entry { checkBuiltIn(entry) }
      return HTTPPlugin(secrets: Set(entry?.reference.secrets ?? []))
    }
    // An unreadable reference was reported already, and might load the wrong plugin.
    if entry.map({
      $0.reference.path == nil && $0.pathRange != nil || $0.reference.sha256 == nil && $0.hashRange != nil
    })
      == true
    {
      return nil
    }
    guard let catalog = session.plugins.catalog else {
      reader.error(
        PluginError.Code.notFound, "'\(use.id)' belongs to a plugin, but this program loads none",
        at: use.node.range)
      return nil
    }
    do throws(PluginError) {
      var reference = entry?.reference ?? PluginReference()
      reference.pin = try pluginLock()?.pin(id)
      if entry != nil || reference.pin != nil { draft.definition.plugins[id] = reference }
      return try catalog.plugin(id, reference)
    } catch {
      if error.code == .lock {
        guard !hasReportedLock else { return nil }
        hasReportedLock = true
      }
      report(error, of: id, entry: entry, for: use, catalog)
      return nil
    }
  }

  /// Checks the entry of a plugin that is part of the engine, for which the file may only specify secrets.
  private func checkBuiltIn(_ entry: PluginEntry) {
    var bare = PluginReference()
    bare.secrets = entry.reference.secrets
    guard entry.reference != bare || entry.pathRange != nil || entry.hashRange != nil else { return }
    reader.error(
      .reservedName, "the plugin '\(entry.id)' is part of Penstock, so that only 'secrets' has an effect on it",
      at: entry.pathRange ?? entry.hashRange ?? entry.range,
      fix: "leave the rest out; a plugin of your own needs another id")
  }

  /// Returns the pins beside the file.
  private func pluginLock() throws(PluginError) -> PluginLock? {
    if let lock { return lock }
    let read = try PluginLock.read(PluginLock.path(besidePipeline: draft.definition.source.absolutePath))
    lock = .some(read)
    return read
  }

  private func report(
    _ error: PluginError, of id: String, entry: PluginEntry?, for use: PluginUseDraft, _ catalog: any PluginCatalog
  ) {
    var range = use.node.range
    if error.code != .lock, let entry, let path = entry.pathRange { range = path }
    if error.isShortage { return reader.error(DiagnosticCode.systemLimit, error.message, at: range) }
    // If the mismatch is with plugins.lock, the hash in the file is right, and the message names the place of the wrong one.
    let isOfLock = lock??.pin(id).map { error.message.contains("\($0.place) pins it") } ?? false
    if error.code == .hashMismatch, !isOfLock, let hash = entry?.hashRange { range = hash }
    guard error.code == .notFound, entry?.reference.path == nil else {
      return reader.error(error.code, error.message, at: range)
    }
    let ids = draft.plugins.map(\.id) + catalog.knownIDs
    // A bare word may have been meant as one of the built-in specifications.
    if case .specification = use.owner, !use.id.contains(".") {
      let own = draft.definition.specifications.map(\.name)
      if own.contains(use.id), let range = use.withRange {
        reader.error(
          .misplacedKey,
          "'with' has no effect on '\(use.id)', a specification of this pipeline, and there is no plugin of that name",
          at: range, fix: "leave it out, or write the settings where '\(use.id)' is declared")
        return
      }
      let names = own + SpecificationWord.allCases.map(\.rawValue) + ids
      return reader.error(
        .unknownSpecification, "there is no specification '\(use.id)', and no plugin of that name", at: range,
        fix: NearestName.suggestion(for: use.id, among: names)
          .map { "did you mean '\(SpecificationWord(rawValue: $0)?.usage ?? $0)'?" })
    }
    // The message suggests names among the plugins that were found; this adds those that only the file names.
    let near =
      NearestName.suggestion(for: id, among: catalog.knownIDs) != nil
      ? nil
      : NearestName.suggestion(
        for: id, among: draft.plugins.filter { $0.pathRange != nil }.map(\.id) + [HTTPPlugin.id]
      ).map { "did you mean '\($0)\(use.id.dropFirst(id.count))'?" }
    reader.error(error.code, error.message, at: range, fix: near)
  }

  // MARK: - Settings

  /// Checks `with` against the settings of the offer; `types` are the types of the use's expressions.
  func checkSettings(of use: PluginUseDraft, types: ArraySlice<ValueType>) {
    guard let offer = use.offer, let settings = use.settings else { return }
    let types = Array(types)
    let given = settings.map { setting -> (name: String, given: GivenSetting) in
      // A faulty setting still counts as given.
      if setting.value.isFaulty { return (setting.name, .type(.json)) }
      if case .literal(let value) = setting.value.data { return (setting.name, .value(value)) }
      return (setting.name, .type(TypeInference.type(of: setting.value, siteTypes: types)))
    }
    let problems = offer.problems(with: given)
    use.hasFittingSettings = problems.isEmpty && !settings.contains { $0.value.isFaulty }
    for problem in problems {
      let place = settings.first { $0.name == problem.setting }
      let range: SourceRange =
        switch problem.code {
        case .unknown: place?.range ?? use.node.range
        case .missing: use.node.range
        case .invalid: place?.value.node.range ?? use.node.range
        }
      reader.error(problem.code, problem.message, at: range, fix: problem.fix)
    }
  }

  // MARK: - Requirement

  /// Checks the values injected into a plugin operation.
  func checkInjection(of operation: OperationDraft, _ types: [ValueType], into offer: PluginOffer) {
    guard let required = offer.requirement, required != .none else {
      if let range = operation.injectRange {
        reader.error(.nothingRequired, "'\(offer.id)' takes no requirement, so nothing can be injected", at: range)
      }
      return
    }
    if operation.injectRange == nil {
      switch required {
      // A missing value is valid JSON (null).
      case .json: return
      case .object(let fields) where fields.allSatisfy(\.isOptional): return
      default: break
      }
    }
    checkInjection(of: operation, types, required: required, by: "'\(offer.id)' requires")
  }
}

extension PluginOffer.Kind {
  /// The kind with its article.
  fileprivate var noun: String { self == .operation ? "an operation" : "a \(rawValue)" }

  /// The place of this kind in a pipeline file.
  fileprivate var place: String {
    switch self {
    case .operation: "'uses' of an operation"
    case .controller: "'controllers'"
    case .specification: "'specifications'"
    }
  }
}
