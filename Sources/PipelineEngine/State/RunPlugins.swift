import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Values

/// The plugins that a run has used so far. Each is loaded again when its files change, until ``end()``; an attempt is listed as long as its instance
/// is running.
final class RunPlugins {
  private let run: RunProgress
  private let services: HostServices
  /// The plugins in use, by the offers that the run uses.
  private var inUse: [String: PluginInUse] = [:]
  /// The renewals, by plugin id.
  private var renewals: [String: PluginRenewal] = [:]
  /// The running attempts of plugin operations with their instances, by operation.
  var attempts: [Int: (attempt: PluginAttempt, instance: any PluginInstance)] = [:]
  /// The input that every instance of their operations receives, with placeholders for what differs.
  private(set) lazy var sharedInput: OrderedDictionary<String, JSONValue> = [
    "attempt": .null, "operation": .null, "run": .string(run.id.text), "pipeline": .string(run.pipeline.name),
    "directory": .string(run.pipeline.source.directory),
  ]

  init(run: RunProgress, services: HostServices) {
    self.run = run
    self.services = services
  }

  /// Whether the run has used no plugins.
  var isEmpty: Bool { inUse.isEmpty }

  /// Returns the plugin of an offer, as the pipeline's file refers to it.
  ///
  /// - Throws: ``OperationFailure`` with the code of the refusal.
  func plugin(of offer: String) throws(OperationFailure) -> PluginInUse {
    if let known = inUse[offer] { return known }
    let id = PluginUse.plugin(of: offer)
    let plugin = PluginInUse(
      plugin: try services.plugins.plugin(id, in: run.pipeline),
      access: PluginAccess(secrets: secrets(of: id), storage: services.plugins.storage(of: id, in: run.pipeline)))
    inUse[offer] = plugin
    // Once per plugin, not per operation. No callback is needed: instances created later use the new code.
    if plugin.plugin.path != nil, renewals[id] == nil {
      renewals[id] = PluginRenewal(of: plugin.plugin, services.plugins) {}
    }
    return plugin
  }

  /// Stops watching the files of the plugins.
  func end() {
    for renewal in renewals.values { renewal.end() }
    renewals = [:]
  }

  /// Ends the running attempts, whatever their instances do.
  func abandonAttempts() {
    for (attempt, _) in attempts.values { attempt.abandon() }
  }

  /// Returns access to the secrets that the file lists for a plugin, and no others.
  private func secrets(of plugin: String) -> PluginAccess.Secrets {
    let allowed = run.pipeline.plugins[plugin]?.secrets ?? []
    if allowed.isEmpty { return { _ throws(PluginAccessError) in throw .denied } }
    let values = run.given.secrets.filter { allowed.contains($0.key) }
    return { name throws(PluginAccessError) in
      guard allowed.contains(name) else { throw .denied }
      guard let value = values[name] else { throw .unknown }
      return value
    }
  }
}
