import PluginHost
import Values

/// The source of plugins for the loader and the engine: a plugin host, or a test double. Safe to use on any thread.
package protocol PluginCatalog: Sendable {
  /// Returns the loaded plugin with this id; the same one each time, as long as its file does not change.
  ///
  /// - Throws: The reason that it cannot be used.
  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin

  /// The ids of the plugins that can be found without a pipeline file, for suggestions.
  var knownIDs: [String] { get }

  /// Reloads every plugin whose file has changed. Blocks the calling thread.
  func reloadChanged()

  /// Logs a line that belongs to no operation; `pipeline` is the pipeline that it concerns, if it is a single one.
  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String)
}

/// A loaded plugin as pipelines see it. Safe to use on any thread.
package protocol PipelinePlugin: Sendable {
  var description: PluginDescription { get }
  /// The SHA-256 of its file, in lower-case hexadecimal.
  var hash: String { get }

  /// Whether its controllers receive the latest event that started a run, so that they can continue after it.
  var continuesFromLatestEvent: Bool { get }

  /// The path of its file; nil if it has none.
  var path: String? { get }

  /// Returns the failure if the plugin rejects these settings; otherwise nil. Blocks the calling thread: see ``PluginConnection/check(_:settings:)``.
  func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure?

  /// Returns the planned instants of a controller or a specification; nil if they cannot be known. Blocks the calling thread: see
  /// ``PluginConnection/instants(of:settings:_:)``.
  func instants(
    of offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion
  ) throws(PluginFailure) -> PlannedInstants?

  /// See ``PluginConnection/create(_:settings:access:events:)``.
  func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance
}

extension PluginCatalog {
  package func reloadChanged() {}
}

extension PipelinePlugin {
  package var continuesFromLatestEvent: Bool { false }
  package var path: String? { nil }

  package func instants(
    of offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion
  ) throws(PluginFailure) -> PlannedInstants? { nil }
}

/// The plugins available to `uses` in pipeline files.
public struct PluginSource: Sendable {
  enum Kind: Sendable {
    case none
    case unchecked
    case catalog(any PluginCatalog)
  }

  let kind: Kind

  /// Whether plugins are neither known nor needed, because the pipeline is only inspected.
  var isUnchecked: Bool { if case .unchecked = kind { true } else { false } }

  /// No plugins: a pipeline that uses one does not load.
  public static let none = PluginSource(kind: .none)

  /// Unchecked plugins: they are neither searched for nor loaded, and the file's uses are not checked. For inspecting a pipeline, not for running it.
  public static let unchecked = PluginSource(kind: .unchecked)

  package static func catalog(_ catalog: any PluginCatalog) -> PluginSource { PluginSource(kind: .catalog(catalog)) }

  package var catalog: (any PluginCatalog)? {
    if case .catalog(let catalog) = kind { catalog } else { nil }
  }
}
