import Operations
import PipelineLanguage
import PluginHost
import RunHistory
import Synchronization
import Workspace

/// What all runs of a host share for plugins: their source, what they may access, and their specifications in use. May be used from any thread.
final class PluginServices: Sendable {
  let loop: EventLoop
  /// The source of the pipelines' plugins.
  let source: PluginSource
  let conditions = PluginConditions()
  let observations: Observations
  let clock: any OperationClock
  /// Runs the commands of secrets that plugins request.
  let local: LocalExecutor
  /// The environment in which it reads them, besides files and commands.
  let environment: HostEnvironment
  /// Whether a plugin may have stored something that nothing else waits for.
  private let hasLent = Atomic(false)
  private let history: History
  private let recorder: HistoryRecorder
  private let http: HTTPHost
  private let context: OperationContext

  init(
    _ source: PluginSource, loop: EventLoop, observations: Observations, context: OperationContext,
    clock: any OperationClock, local: LocalExecutor, environment: HostEnvironment, http: HTTPHost, history: History,
    recorder: HistoryRecorder
  ) {
    self.source = source
    self.loop = loop
    self.observations = observations
    self.context = context
    self.clock = clock
    self.local = local
    self.environment = environment
    self.http = http
    self.history = history
    self.recorder = recorder
  }

  /// Returns a plugin of a pipeline.
  ///
  /// - Throws: ``OperationFailure`` with the code of the refusal.
  func plugin(_ id: String, in pipeline: PipelineDefinition) throws(OperationFailure) -> any PipelinePlugin {
    if id == HTTPPlugin.id, let plugin = httpPlugin { return plugin }
    guard let catalog = source.catalog else {
      throw OperationFailure(
        code: PluginError.Code.notFound.rawValue,
        message: "the plugin '\(id)' cannot be used: this program does not load plugins")
    }
    do {
      return try catalog.plugin(id, pipeline.plugins[id] ?? PluginReference())
    } catch {
      throw OperationFailure(code: error.code.rawValue, message: error.message)
    }
  }

  /// The plugin `http`, whose requests are this host's.
  private var httpPlugin: HTTPPlugin? {
    HTTPPlugin { [http, context] settings, access, events in
      HTTPEventsInstance(settings: settings, host: http, context: context, access: access, events: events)
    }
  }

  /// Returns the storage of a plugin for a pipeline.
  func storage(of plugin: String, in pipeline: PipelineDefinition) -> any PluginStorage {
    hasLent.store(true, ordering: .relaxed)
    return WorkspacePluginStorage(
      plugin: plugin, pipeline: pipeline.name, history: history, recorder: recorder, delayer: context.operationDelayer)
  }

  /// Whether ``storage(of:in:)`` was called.
  var hasLentStorage: Bool { hasLent.load(ordering: .relaxed) }
}
