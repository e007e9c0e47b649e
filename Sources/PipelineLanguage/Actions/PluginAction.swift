import Values

/// The action `uses`: an operation of a plugin.
extension PluginUse: ActionKind {
  package var key: ActionKey { .uses }
  package var isWork: Bool { true }
  // Its settings are visible; a plugin requests secrets by name.
  package var secretReach: SecretReach { .plugin(plugin) }
  package var summary: String { offer }
  package var usedPlugin: String? { plugin }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for setting in settings { try body(.setting(setting.name), setting.value) }
  }

  package func resultType(declared: ValueType?, nested: (String) -> ValueType) -> ValueType { declared ?? .json }
}

extension PluginUse: CheckableAction {
  static var rows: [KeyRow] {
    [
      KeyRow("uses", .name(pattern: NamePattern.offer), "An operation of a plugin."),
      KeyRow(
        "with", .map(keyPattern: NamePattern.member, .data), "The settings of the plugin's operation.",
        default: "that of the plugin", only: [.uses]),
    ]
  }

  static var tables: [KeySection] { [] }

  static var takes: Set<OperationKey> {
    [.inject, .requires, .result, .retry, .repeat, .grace, .staleAfter, .staleWhen]
  }

  static var share: DefaultsShare { .work }
  static var takesRequirementAsData: Bool { true }

  static func read(_ node: YAMLNode, into draft: OperationDraft, by reader: DocumentReader) {
    reader.readOffer(node, into: draft)
  }

  static func finish(_ draft: OperationDraft, _ node: YAMLNode, by reader: DocumentReader) {
    reader.finishPluginOperation(of: draft)
  }

  static func knownResult(of operation: OperationDraft, in checker: PipelineChecker) -> ValueType {
    operation.definition.result ?? operation.pluginUse?.offer?.result ?? .json
  }

  static func resultType(
    of operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker
  ) -> ValueType {
    checker.pluginResultType(of: operation)
  }

  static var undeclaredResult: UndeclaredResult { .given }

  static func reasonForNoResult(of operation: OperationDraft) -> String? {
    operation.resultRange == nil ? "what it uses gives none" : nil
  }

  static func check(_ operation: OperationDraft, _ types: [ValueType], in checker: PipelineChecker) {
    guard let use = operation.pluginUse else { return }
    if let offer = use.offer { checker.checkInjection(of: operation, types, into: offer) }
    checker.checkSettings(of: use, types: types[...])
  }
}

extension DocumentReader {
  /// Reads `uses` of an operation; `with` may come before or after it.
  fileprivate func readOffer(_ node: YAMLNode, into draft: OperationDraft) {
    guard let id = offerID(node) else { return }
    draft.pluginUse = PluginUseDraft(owner: .operation, title: draft.title, id: id, node: node)
  }

  /// Reads `with` of an operation.
  func readSettings(_ entry: YAMLEntry, into draft: OperationDraft) {
    draft.settings = settings(entry.value, .settings, into: &draft.sites)
    draft.settingsRange = entry.key.range
  }

  /// Combines the parts read of a plugin operation.
  fileprivate func finishPluginOperation(of draft: OperationDraft) {
    guard let use = draft.pluginUse else { return }
    use.settings = draft.settings
    use.withRange = draft.settingsRange
    draft.definition.action = .uses(use.use)
  }
}

extension PipelineChecker {
  /// Returns the result type of a plugin operation: that of the plugin, unless the file declares a narrower one.
  fileprivate func pluginResultType(of operation: OperationDraft) -> ValueType {
    let declared = operation.definition.result
    guard let offer = operation.pluginUse?.offer else { return declared ?? .json }
    guard let declared else {
      operation.definition.result = offer.result
      return offer.result
    }
    if declared != .none, case .no(let reason) = declared.accepts(offer.result) {
      reader.error(
        .typeMismatch,
        "\(operation.title) declares \(Self.shown(declared)), but '\(offer.id)' gives \(Self.shown(offer.result))\(Self.detail(reason))",
        at: operation.resultRange ?? operation.nameRange)
    }
    return declared
  }
}
