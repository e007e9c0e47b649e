import PluginHost
import Values

extension Plugin: PipelinePlugin {
  package var hash: String { sha256 }
  package var path: String? { file.foundPath }

  package func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure? {
    connection.check(offer, settings: settings)
  }

  package func instants(
    of offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion
  ) throws(PluginFailure) -> PlannedInstants? {
    try connection.instants(of: offer, settings: settings, question)
  }

  package func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    connection.create(offer, settings: settings, access: access, events: events)
  }
}

/// The plugins of a plugin host.
private struct HostCatalog: PluginCatalog {
  let host: PluginLoader

  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin {
    try host.pluginOrFormer(id, reference)
  }

  var knownIDs: [String] { PluginFinder(host.configuration).all().files.map(\.id) }

  func reloadChanged() {
    for error in host.reloadChanged().errors {
      log(.error, plugin: "plugins", pipeline: nil, "a file has changed, and the old code runs on: \(error.message)")
    }
  }

  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String) {
    if let pipeline, let log = host.configuration.pipelineLog {
      log(level, plugin, pipeline, message)
    } else {
      host.configuration.log(level, plugin, message)
    }
  }
}

extension PluginSource {
  /// Returns the plugins that `host` finds. It must not be shut down before the runs that use them have ended.
  public static func host(_ host: PluginLoader) -> PluginSource { .catalog(HostCatalog(host: host)) }
}
