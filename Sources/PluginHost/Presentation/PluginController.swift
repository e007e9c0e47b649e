import Operations
import Values

/// A controller of a plugin: drives stores by what the plugin tells. Each store has an instance of its own, which is asked to end when
/// the store goes.
///
/// A state that the plugin yields is set as a value, an error as an error; a rerun runs the operation again where automatic running is
/// enabled, with ``Operations/OperationContext/pluginEvent`` in its context; a reset resets. An instance that failed is made again after
/// a second, and later each time until it tells something.
public struct PluginController<State: OperationState>: OperationController where State.Failure == any Error {
  /// What of the plugin it is.
  public let offer: PluginOffer
  /// The settings, checked and with defaults.
  public let settings: JSONValue
  /// What `start` is given: `{"pipeline": …, "last_run": …, "directory": …}`, all of which may be missing.
  public var input: JSONValue = [:]
  /// What the instances may reach; nothing by default.
  public var access = PluginAccess.none
  /// How long an instance may take to end: 10 s by default.
  public var grace = Duration.seconds(10)
  /// Told of the lines that the instances log. On any thread, in order.
  public var onLog: (@Sendable (PluginLogLevel, _ message: String, _ fields: JSONValue?) -> Void)?
  private let plugin: Plugin
  private let value: @Sendable (JSONValue) throws -> State.StateValue

  init(
    _ plugin: Plugin, _ offer: PluginOffer, settings: JSONValue,
    value: @escaping @Sendable (JSONValue) throws -> State.StateValue
  ) {
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.value = value
  }

  /// Makes an instance that controls a store, until the subscription ends.
  public func control(with controls: OperationControls<State>) -> OperationSubscription {
    let listener = PluginControl(controls: controls, value: value, onLog: onLog)
    let instance = KeptInstance(plugin, offer, settings: settings, input: input, access: access, grace: grace)
    instance.begin(listener)
    return OperationSubscription { withExtendedLifetime(listener) { instance.release() } }
  }
}

/// Hands what one instance tells to the store that it controls.
private final class PluginControl<State: OperationState>: PluginInstanceEvents where State.Failure == any Error {
  private let controls: OperationControls<State>
  private let value: @Sendable (JSONValue) throws -> State.StateValue
  private let onLog: (@Sendable (PluginLogLevel, String, JSONValue?) -> Void)?

  init(
    controls: OperationControls<State>, value: @escaping @Sendable (JSONValue) throws -> State.StateValue,
    onLog: (@Sendable (PluginLogLevel, String, JSONValue?) -> Void)?
  ) {
    self.controls = controls
    self.value = value
    self.onLog = onLog
  }

  func yielded(_ signal: PluginSignal) {
    switch signal {
    case .state(let state): controls.yield(with: Result { try value(state) })
    case .error(let failure): controls.yield(throwing: failure)
    case .reset: controls.yieldResetState()
    // Nothing is run for them, and nobody keeps account here.
    case .leftOut: break
    case .rerun(let event):
      var context = controls.context
      context.pluginEvent = event
      controls.yieldRerunTask(with: context)?.start()
    }
  }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    if case .failure(let failure) = outcome { controls.yield(throwing: failure) }
  }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) { onLog?(level, message, fields) }

  // Neither is for controllers.
  func progressed(_ progress: JSONValue) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}

extension OperationContext {
  private enum PluginEventKey: Key {
    static var defaultValue: JSONValue? { nil }
  }

  /// Why a plugin's controller asked for this run: `{"reason": "…", "instant": timestamp, …}`; nil where none did.
  public var pluginEvent: JSONValue? {
    get { self[PluginEventKey.self] }
    set { self[PluginEventKey.self] = newValue }
  }
}

extension Plugin {
  /// A controller of queries for JSON.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil is the plugin's own.
  ///   - settings: An object with the settings; defaults are filled in.
  /// - Returns: The controller, for any number of stores.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func controller(
    _ id: String? = nil, settings: JSONValue = [:]
  ) throws(PluginError) -> PluginController<QueryState<JSONValue, any Error>> {
    try controller(id, settings: settings) { $0 }
  }

  /// A controller of stores of any kind.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil is the plugin's own.
  ///   - settings: An object with the settings; defaults are filled in.
  ///   - value: Makes the store's value of what the plugin yields; what it throws becomes the store's error.
  /// - Returns: The controller, for any number of stores.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func controller<State: OperationState>(
    _ id: String? = nil, settings: JSONValue = [:], value: @escaping @Sendable (JSONValue) throws -> State.StateValue
  ) throws(PluginError) -> PluginController<State> where State.Failure == any Error {
    let (offer, settings) = try resolve(id ?? self.id, .controller, settings)
    return PluginController(self, offer, settings: settings, value: value)
  }
}
