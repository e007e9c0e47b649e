import OrderedCollections
import PluginHost
import Values

/// Detects settings that only the plugin can reject, by asking it, if the settings are known before a run.
extension PipelineChecker {
  private struct Question: Hashable {
    var offer: String
    var kind: PluginOffer.Kind
    var settings: String
  }

  /// Failures of the plugin rather than of the settings; checking more settings would only fail again.
  private static let ends = Set(
    [PluginError.Code.crashed, .unresponsive, .childHost, .closed].map(\.rawValue))

  /// Makes each plugin create and immediately release an instance for every use whose settings contain no expressions.
  func trySettings() {
    var uses = reader.pluginUses
    forEachDraft { operation in if let use = operation.pluginUse { uses.append(use) } }
    var answers: [Question: PluginFailure?] = [:]
    var ended: Set<String> = []
    for use in uses where use.hasFittingSettings {
      let id = use.use.plugin
      guard let offer = use.offer, let plugin = plugins[id] ?? nil, !ended.contains(id),
        let literal = use.literalSettings, let settings = try? offer.resolve(settings: literal)
      else { continue }
      let question = Question(offer: offer.id, kind: offer.kind, settings: settings.text)
      let answer = answers[question] ?? plugin.check(offer, settings: settings)
      answers[question] = .some(answer)
      guard let answer else { continue }
      if Self.ends.contains(answer.code) { ended.insert(id) }
      report(answer, of: use)
    }
  }

  private func report(_ failure: PluginFailure, of use: PluginUseDraft) {
    let range = use.withRange ?? use.node.range
    if Self.ends.contains(failure.code) {
      return reader.error(
        failure, failure.message, at: range,
        fix: "'penstock plugins check FILE' drives a plugin through its whole contract, and says more")
    }
    let source = use.use.plugin == HTTPPlugin.id ? "penstock schema" : "penstock plugins inspect \(use.use.plugin)"
    let advice = "'\(source)' lists its settings"
    guard let place = failure.place, let setting = use.settings?.first(where: { $0.name == place.setting }) else {
      return reader.error(
        failure, "the settings of '\(use.id)' are invalid: \(failure.message)", at: range, fix: advice)
    }
    // The message may begin with the setting's name, for callers that show nothing else.
    let prefix = "\(place.setting): "
    let message = failure.message.hasPrefix(prefix) ? String(failure.message.dropFirst(prefix.count)) : failure.message
    var position = setting.value.node.range
    if let part = place.range, setting.value.node.text != nil {
      position = reader.range(in: setting.value.node, offset: part.lowerBound, length: part.count)
    }
    reader.error(
      failure, "the setting '\(place.setting)' of '\(use.id)' is invalid: \(message)", at: position,
      fix: advice)
  }
}

extension PluginUseDraft {
  /// The settings if none of them contains an expression; otherwise nil.
  fileprivate var literalSettings: JSONValue? {
    var values: OrderedDictionary<String, JSONValue> = [:]
    for setting in settings ?? [] {
      guard case .literal(let value) = setting.value.data else { return nil }
      values[setting.name] = value
    }
    return .object(values)
  }
}
