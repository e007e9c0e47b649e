import PipelineLanguage
import PluginHost
import Synchronization
import Values

/// The secrets of a pipeline for a plugin's controller or specification: read on request, and from then on masked in everything that it reports. May
/// be used from any thread.
final class PluginSecrets: Sendable {
  private let plugin: String
  private let secrets: [PipelineDefinition.Secret]
  private let allowed: [String]
  private let directory: String
  private let services: PluginServices
  private let storage: any PluginStorage
  /// The secrets provided so far, and the masker for them.
  private let given = Mutex<(values: [String], masker: SecretMasker)?>(nil)

  init(of plugin: String, in pipeline: PipelineDefinition, _ services: PluginServices) {
    self.plugin = plugin
    secrets = pipeline.secrets
    allowed = pipeline.plugins[plugin]?.secrets ?? []
    directory = pipeline.source.directory
    storage = services.storage(of: plugin, in: pipeline)
    self.services = services
  }

  /// What an instance of the plugin may access.
  var access: PluginAccess {
    PluginAccess(
      secrets: { [self] name throws(PluginAccessError) in try await secret(name) }, storage: storage)
  }

  /// Returns the text without the secrets that the plugin was given.
  func mask(_ text: String) -> String { given.withLock { $0?.masker }?.mask(text) ?? text }

  func mask(_ value: JSONValue) -> JSONValue { given.withLock { $0?.masker }?.mask(value) ?? value }

  private func secret(_ name: String) async throws(PluginAccessError) -> String {
    guard allowed.contains(name) else { throw .denied }
    guard let secret = secrets.first(where: { $0.name == name }) else { throw .unknown }
    let reading = Task(executorPreference: services.loop) { [services, directory] in
      try await SecretReader(
        local: services.local, environment: services.environment, directory: directory
      ).read([secret])[name]
    }
    guard let value = try? await reading.value else { throw .unavailable }
    given.withLock { given in
      let values = (given?.values ?? []) + [value]
      given = (values, SecretMasker(values))
    }
    return value
  }
}
