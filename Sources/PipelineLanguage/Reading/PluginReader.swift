import OperatingSystem
import PluginHost
import Values

/// An entry of `plugins`, with the places that the checks need.
struct PluginEntry {
  var id: String
  var reference = PluginReference()
  var range: SourceRange
  var pathRange: SourceRange?
  var hashRange: SourceRange?
  var secrets: [(name: String, range: SourceRange)] = []
}

/// A `uses` with its `with`, and the places that the checks need.
final class PluginUseDraft {
  /// The owner, which determines the kinds of offers that are allowed.
  enum Owner {
    case operation
    /// The specification at this position.
    case specification(Int)
    case controller
  }

  let owner: Owner
  /// The owner, as messages name it, such as `operation 'x'`.
  let title: String
  let id: String
  /// The node of the id.
  let node: YAMLNode
  /// The settings; nil if `with` is not a mapping, so that the settings are unknown.
  var settings: [(name: String, range: SourceRange, value: PlacedData)]? = []
  /// The place of the key `with`; nil if there is none.
  var withRange: SourceRange?
  /// Whether the settings are known to match the offer's description.
  var hasFittingSettings = false
  /// The expressions in the settings; those of an operation are among its own sites.
  var sites: [ExpressionSite] = []
  /// The position of the types of these sites among those of all expressions outside operations.
  var firstSite = 0
  /// The offer it refers to; nil until it is known.
  var offer: PluginOffer?

  init(owner: Owner, title: String, id: String, node: YAMLNode) {
    self.owner = owner
    self.title = title
    self.id = id
    self.node = node
  }

  var use: PluginUse { PluginUse(offer: id, settings: (settings ?? []).map { ($0.name, $0.value.data) }) }

  var kind: PluginOffer.Kind {
    switch owner {
    case .operation: .operation
    case .specification: .specification
    case .controller: .controller
    }
  }
}

extension DocumentReader {
  // MARK: - plugins

  /// Reads `plugins`.
  func plugins(_ node: YAMLNode, in directory: String) -> [PluginEntry] {
    guard let entries = node.entries else {
      wrongForm(node, "'plugins'", needs: "a mapping of plugins' ids to paths")
      return []
    }
    return entries.map { entry in
      var plugin = PluginEntry(id: entry.name, range: entry.key.range)
      if !PluginUse.isPluginID(entry.name) {
        error(
          .invalidName,
          "'\(entry.name)' cannot be a plugin's id: it may contain lowercase letters, digits and '-', at most 64 characters, and must begin with a letter",
          at: entry.key.range, fix: entry.name.contains(".") ? "name the plugin alone, without what it offers" : nil)
      }
      let what = "the plugin '\(entry.name)'"
      if entry.value.entries == nil {
        readPath(entry.value, what, in: directory, into: &plugin)
      } else {
        readKeys(of: entry.value, PluginKey.table, what: what) { key, _, member in
          read(key, member.value, in: directory, into: &plugin)
        }
      }
      return plugin
    }
  }

  private func read(_ key: PluginKey, _ node: YAMLNode, in directory: String, into plugin: inout PluginEntry) {
    switch key {
    case .path: readPath(node, "'path'", in: directory, into: &plugin)
    case .sha256: readHash(node, into: &plugin)
    case .isolation: plugin.reference.isolation = choice(node, "'isolation'", PluginReference.Isolation.self)
    case .limits:
      readKeys(of: node, PluginLimitKey.table) { key, _, member in
        switch key {
        case .memory: plugin.reference.limits.memory = size(member.value, "'memory'")
        case .descriptors: plugin.reference.limits.descriptors = int(member.value, "'descriptors'", minimum: 16)
        }
      }
    case .env:
      for (name, node) in texts(node, "'env'", allowsOne: false)
      where checkName(name, .variable, "an environment variable", at: node.range) {
        plugin.reference.environment.append(name)
      }
    case .secrets:
      for (name, node) in texts(node, "'secrets'", allowsOne: false) {
        plugin.reference.secrets.append(name)
        plugin.secrets.append((name, node.range))
      }
    }
  }

  private func readPath(_ node: YAMLNode, _ what: String, in directory: String, into plugin: inout PluginEntry) {
    guard let path = plainText(node, what) else { return }
    guard !path.isEmpty, !path.utf8.contains(0) else { return wrongForm(node, what, needs: "a path") }
    plugin.reference.path = PathText.join(directory, path)
    plugin.pathRange = node.range
  }

  private func readHash(_ node: YAMLNode, into plugin: inout PluginEntry) {
    guard let hash = plainText(node, "'sha256'") else { return }
    plugin.hashRange = node.range
    let isHash = hash.utf8.count == 64 && hash.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    if isHash {
      plugin.reference.sha256 = hash
      return
    }
    let lowered = hash.lowercased()
    let fix =
      hash.hasPrefix("sha256:")
      ? "leave out 'sha256:'"
      : lowered != hash && lowered.utf8.count == 64
        ? "write it in small letters" : "`penstock plugins inspect FILE` prints it"
    error(
      .invalidHash,
      "'sha256' needs 64 hexadecimal digits, found \(hash.isEmpty ? "nothing" : "'\(hash.prefix(70))'")",
      at: node.range, fix: fix)
  }

  func size(_ node: YAMLNode, _ what: String) -> Int64? {
    guard let text = plainText(node, what) else { return nil }
    guard let size = SizeNotation.parse(text) else {
      error(
        .invalidSize, "\(what) needs a size with its unit, found '\(text)'", at: node.range,
        fix: "write it like '64MiB'")
      return nil
    }
    return size
  }

  // MARK: - uses and with

  /// Reads the id of an offer; returns nil if it is invalid, which is reported.
  func offerID(_ node: YAMLNode) -> String? {
    guard let text = plainText(node, "'uses'") else { return nil }
    if PluginUse.isOfferID(text) { return text }
    error(
      .invalidName,
      "'\(text)' cannot be what a plugin offers: that is the plugin's id, or its id, a dot and a name, in lowercase letters, digits and '-'",
      at: node.range, fix: "write it like 'cron' or 'calendar.time-window'")
    return nil
  }

  /// Reads `with`: the settings, with their expressions in `sites`; returns nil if they are not a mapping, which is reported.
  func settings(
    _ node: YAMLNode, _ use: ExpressionSite.Use, into sites: inout [ExpressionSite]
  ) -> [(name: String, range: SourceRange, value: PlacedData)]? {
    if isNull(node), !node.isFaulty { return [] }
    guard let entries = node.entries else {
      wrongForm(node, "'with'", needs: "a mapping of settings")
      return nil
    }
    return entries.map { ($0.name, $0.key.range, placedData($0.value, use, into: &sites)) }
  }

  /// Returns whether the `uses` of a specification names a plugin's offer rather than a specification of the language or the pipeline.
  func namesPlugin(_ text: String, hasSettings: Bool) -> Bool {
    guard PluginUse.isOfferID(text), !SpecificationWord.reserved.contains(text) else { return false }
    // A specification may have the same name as the offer it uses.
    return hasSettings || text.contains(".") || specifications[text] == nil
  }

  /// Reads a specification of a plugin.
  func pluginSpecification(
    _ id: String, _ uses: YAMLNode, with entry: YAMLEntry?, at position: Int, _ what: String
  ) -> SpecificationFormula {
    let draft = PluginUseDraft(owner: .specification(position), title: what, id: id, node: uses)
    if let entry { draft.settings = settings(entry.value, .specification, into: &draft.sites) }
    draft.withRange = entry?.key.range
    pluginUses.append(draft)
    return SpecificationFormula(text: id, root: .plugin(draft.use))
  }

  /// Reads `controllers`: one, or a list of them.
  func controllers(_ node: YAMLNode) -> [PipelineDefinition.Controller] {
    if let items = node.items, items.isEmpty { wrongForm(node, "'controllers'", needs: "at least one controller") }
    return (node.items ?? [node]).compactMap { item in
      guard item.entries != nil else {
        wrongForm(
          item, "a controller", needs: "a mapping",
          fix: item.text.flatMap { PluginUse.isOfferID($0) ? ControllerForm.text(id: $0) : nil }
            ?? ControllerForm.example)
        return nil
      }
      var id: (text: String, node: YAMLNode)?
      var read: [(name: String, range: SourceRange, value: PlacedData)]? = []
      var sites: [ExpressionSite] = []
      var withRange: SourceRange?
      let misplaced = misplacedControllerKeys(in: item)
      readKeys(of: item, ControllerKey.table, except: misplaced.contains) { key, _, entry in
        switch key {
        case .uses: id = offerID(entry.value).map { ($0, entry.value) }
        case .with:
          read = settings(entry.value, .controller, into: &sites)
          withRange = entry.key.range
        }
      }
      guard let id else {
        if isMissing("uses", in: item) {
          error(
            .missingKey, "a controller needs a 'uses'", at: item.entries?.first?.key.range ?? item.range,
            fix: ControllerForm.fix(for: item))
        }
        return nil
      }
      let draft = PluginUseDraft(owner: .controller, title: "the controller '\(id.text)'", id: id.text, node: id.node)
      draft.settings = read
      draft.withRange = withRange
      draft.sites = sites
      pluginUses.append(draft)
      return PipelineDefinition.Controller(use: draft.use, range: id.node.range)
    }
  }

  /// Returns the keys of a controller that need no report of their own: those written beside `uses` instead of below `with`, which this reports, and an id
  /// that stands for `uses`, which the missing `uses` reports.
  private func misplacedControllerKeys(in item: YAMLNode) -> Set<String> {
    guard item["uses"] != nil else { return ControllerForm.id(of: item).map { [$0] } ?? [] }
    let unknown = (item.entries ?? []).filter { ControllerForm.isOther($0.name) }
    for entry in unknown {
      error(
        .unknownKey, "a controller has no key '\(entry.name)'", at: entry.key.range,
        fix: "a setting belongs under 'with': '{uses: …, with: {\(entry.name): …}}'")
    }
    return Set(unknown.map(\.name))
  }
}
