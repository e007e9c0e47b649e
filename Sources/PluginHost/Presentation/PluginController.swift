import Operations
import Values

/// A plugin's controller, which drives stores by what the plugin yields. Each store has its own instance, which is asked to end when the store is released.
///
/// A state that the plugin yields is set as a value, and an error as an error. A rerun runs the operation again where automatic running is enabled,
/// with `pluginEvent` in its context. A reset resets the store. A failed instance is recreated after one second; the
/// delay grows with each failure until an instance reports something.
public struct PluginController<State: OperationState>: OperationController where State.Failure == any Error {
  /// The plugin's offer.
  public let offer: PluginOffer
  /// The settings, checked, with defaults filled in.
  public let settings: JSONValue
  /// The input of `start`: `{"pipeline": …, "last_run": …, "directory": …}`; each member may be missing.
  public var input: JSONValue = [:]
  /// What the instances may access; nothing by default.
  public var access = PluginAccess.none
  /// How long an instance may take to end; 10 s by default.
  public var grace = Duration.seconds(10)
  /// Called with the lines that the instances log, on any thread, in order.
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

  /// Creates an instance that controls a store until the subscription ends.
  public func control(with controls: OperationControls<State>) -> OperationSubscription {
    let listener = PluginControl(controls: controls, value: value, onLog: onLog)
    let instance = KeptInstance(plugin, offer, settings: settings, input: input, access: access, grace: grace)
    instance.begin(listener)
    return OperationSubscription { withExtendedLifetime(listener) { instance.release() } }
  }
}

/// Forwards the events of one instance to the store that it controls.
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
    // These instants start no run, and this controller keeps no account of them.
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

  // Neither applies to controllers.
  func progressed(_ progress: JSONValue) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}

extension OperationContext {
  private enum PluginEventKey: Key {
    static var defaultValue: JSONValue? { nil }
  }

  /// Why a plugin's controller asked for this run: `{"reason": "…", "instant": timestamp, …}`; nil if no controller did.
  public var pluginEvent: JSONValue? {
    get { self[PluginEventKey.self] }
    set { self[PluginEventKey.self] = newValue }
  }
}

extension Plugin {
  /// Returns a controller of JSON queries.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil for the plugin's own.
  ///   - settings: An object with the settings; missing ones get their defaults.
  /// - Returns: The controller, which can drive any number of stores.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func controller(
    _ id: String? = nil, settings: JSONValue = [:]
  ) throws(PluginError) -> PluginController<QueryState<JSONValue, any Error>> {
    try controller(id, settings: settings) { $0 }
  }

  /// Returns a controller of stores of any kind.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil for the plugin's own.
  ///   - settings: An object with the settings; missing ones get their defaults.
  ///   - value: Converts what the plugin yields to the store's value; an error that it throws becomes the store's error.
  /// - Returns: The controller, which can drive any number of stores.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func controller<State: OperationState>(
    _ id: String? = nil, settings: JSONValue = [:], value: @escaping @Sendable (JSONValue) throws -> State.StateValue
  ) throws(PluginError) -> PluginController<State> where State.Failure == any Error {
    let (offer, settings) = try resolve(id ?? self.id, .controller, settings)
    return PluginController(self, offer, settings: settings, value: value)
  }
}
