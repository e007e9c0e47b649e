import PluginHost
import Values

/// Where the loader and the engine get plugins from: a plugin host, or a test's double of one. Any thread.
package protocol PluginCatalog: Sendable {
  /// The plugin with this id, loaded; the same one each time, as long as its file is the same.
  ///
  /// - Throws: Why it cannot be used.
  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin

  /// The ids of what can be found without a pipeline file, for suggestions.
  var knownIDs: [String] { get }

  /// Loads every plugin again whose file has changed. The calling thread waits.
  func reloadChanged()

  /// Takes a line that belongs to no operation.
  func log(_ level: PluginLogLevel, plugin: String, _ message: String)
}

/// A loaded plugin as pipelines see it. Any thread.
package protocol PipelinePlugin: Sendable {
  var description: PluginDescription { get }
  /// The SHA-256 of its file, in lower-case hexadecimal.
  var hash: String { get }

  /// Whether its controllers are told of the latest event that they began a run with, to go on behind it.
  var continuesFromLatestEvent: Bool { get }

  /// Its file; nil where it has none.
  var path: String? { get }

  /// Whether it takes these settings; nil where it does. The calling thread waits: see ``PluginConnection/check(_:settings:)``.
  func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure?

  /// Which instants of a controller or a specification come; nil where nobody can know them. The calling thread waits: see
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

/// What a pipeline file's `uses` may reach.
public struct PluginSource: Sendable {
  enum Kind: Sendable {
    case none
    case unchecked
    case catalog(any PluginCatalog)
  }

  let kind: Kind

  /// Whether nothing is known of plugins, and nothing need be, as the pipeline is only looked at.
  var isUnchecked: Bool { if case .unchecked = kind { true } else { false } }

  /// No plugins: a pipeline that uses one does not load.
  public static let none = PluginSource(kind: .none)

  /// Plugins are neither looked for nor loaded, and what the file says of them is taken on trust: for looking at a pipeline, not for
  /// running it.
  public static let unchecked = PluginSource(kind: .unchecked)

  package static func catalog(_ catalog: any PluginCatalog) -> PluginSource { PluginSource(kind: .catalog(catalog)) }

  package var catalog: (any PluginCatalog)? {
    if case .catalog(let catalog) = kind { catalog } else { nil }
  }
}
