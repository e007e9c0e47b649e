import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Values

/// The plugins that a run has used so far: each is loaded again when its files change, until ``end()``, and an attempt is listed as long as its instance goes on.
final class RunPlugins {
  private let run: RunProgress
  private let services: HostServices
  /// By the offers that the run has used of them.
  private var inUse: [String: PluginInUse] = [:]
  /// By the ids of the plugins.
  private var renewals: [String: PluginRenewal] = [:]
  /// The attempts of their operations that go on, with their instances, by operation.
  var attempts: [Int: (attempt: PluginAttempt, instance: any PluginInstance)] = [:]
  /// What every instance of their operations is told, with room for what differs.
  private(set) lazy var sharedInput: OrderedDictionary<String, JSONValue> = [
    "attempt": .null, "operation": .null, "run": .string(run.id.text), "pipeline": .string(run.pipeline.name),
    "directory": .string(run.pipeline.source.directory),
  ]

  init(run: RunProgress, services: HostServices) {
    self.run = run
    self.services = services
  }

  /// Whether the run has used none.
  var isEmpty: Bool { inUse.isEmpty }

  /// The plugin of an offer, as the pipeline's file refers to it.
  ///
  /// - Throws: ``OperationFailure`` with the code of the refusal.
  func plugin(of offer: String) throws(OperationFailure) -> PluginInUse {
    if let known = inUse[offer] { return known }
    let id = PluginUse.plugin(of: offer)
    let plugin = PluginInUse(
      plugin: try services.plugins.plugin(id, in: run.pipeline),
      access: PluginAccess(secrets: secrets(of: id), storage: services.plugins.storage(of: id, in: run.pipeline)))
    inUse[offer] = plugin
    // Once for a plugin, not for each of its operations. Nobody needs to be told: what begins later is made by the new code.
    if plugin.plugin.path != nil, renewals[id] == nil {
      renewals[id] = PluginRenewal(of: plugin.plugin, services.plugins) {}
    }
    return plugin
  }

  /// Looks no longer whether the files of the plugins change.
  func end() {
    for renewal in renewals.values { renewal.end() }
    renewals = [:]
  }

  /// Ends the attempts that go on, whatever their instances do.
  func abandonAttempts() {
    for (attempt, _) in attempts.values { attempt.abandon() }
  }

  /// The secrets that the file lists for a plugin, and no others.
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
