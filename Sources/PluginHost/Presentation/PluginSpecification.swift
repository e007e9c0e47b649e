import Operations
import Synchronization
import Values

/// A plugin's specification: one live instance, shared by all its readers and subscribers.
///
/// The instance lives from the moment the specification is created until the last reference to it, or the last subscription, is released. The value
/// is unknown, which satisfies nothing, until the plugin reports one, and while the plugin cannot report (its instance failed, or its process
/// crashed). A failed instance is recreated after one second; the delay grows with each failure until an instance reports something.
public final class PluginSpecification: OperationRunSpecification {
  /// The state that the plugin last reported.
  private struct State {
    var value: Bool?
    var reason = ""
    var changedAt: Timestamp?
  }

  private final class Listener: PluginInstanceEvents {
    let state = Mutex(State())
    let handlers = HandlerList<Void>()
    let clock: any PluginClock
    let onLog: @Sendable (PluginLogLevel, String, JSONValue?) -> Void

    init(clock: any PluginClock, onLog: @escaping @Sendable (PluginLogLevel, String, JSONValue?) -> Void) {
      self.clock = clock
      self.onLog = onLog
    }

    func changed(_ isSatisfied: Bool?, reason: String) {
      let now = Timestamp(seconds: 0, nanoseconds: clock.now())
      let isNew = state.withLock { state in
        guard state.value != isSatisfied || state.reason != reason || state.changedAt == nil else { return false }
        if state.value != isSatisfied || state.changedAt == nil { state.changedAt = now }
        state.value = isSatisfied
        state.reason = reason
        return true
      }
      if isNew { handlers.notify(()) }
    }

    func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
      switch outcome {
      case .success: changed(nil, reason: "the plugin ended it")
      case .failure(let failure): changed(nil, reason: failure.message)
      }
    }

    func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) { onLog(level, message, fields) }

    // Neither applies to specifications.
    func progressed(_ progress: JSONValue) {}
    func yielded(_ signal: PluginSignal) {}
  }

  /// The plugin's offer.
  public let offer: PluginOffer
  /// The settings, checked, with defaults filled in.
  public let settings: JSONValue
  private let listener: Listener
  private let instance: KeptInstance

  init(
    _ plugin: Plugin, _ offer: PluginOffer, settings: JSONValue, directory: String?, access: PluginAccess,
    grace: Duration, onLog: @escaping @Sendable (PluginLogLevel, String, JSONValue?) -> Void
  ) {
    self.offer = offer
    self.settings = settings
    listener = Listener(clock: plugin.clock, onLog: onLog)
    let input: JSONValue = directory.map { ["directory": .string($0)] } ?? [:]
    instance = KeptInstance(plugin, offer, settings: settings, input: input, access: access, grace: grace)
    instance.begin(listener)
  }

  deinit { instance.release() }

  /// The value; nil while it is unknown.
  public var value: Bool? { listener.state.withLock { $0.value } }

  /// Whether the plugin has reported a value that is still valid.
  public var isKnown: Bool { value != nil }

  /// Whether the plugin reports that the specification is satisfied. False while the value is unknown.
  public func isSatisfied(in context: OperationContext) -> Bool { value == true }

  /// The value that the plugin reports; nil while it is unknown.
  public func value(in context: OperationContext) -> Bool? { value }

  /// Calls `onChange` when the value or its reason has changed.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let subscription = listener.handlers.subscribe { onChange() }
    return OperationSubscription { [self] in withExtendedLifetime(self) { subscription.cancel() } }
  }

  /// The offer's id, and the reason that the plugin gives.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let state = listener.state.withLock { $0 }
    let name = offer.id
    guard let value = state.value else {
      let reason = state.reason.isEmpty ? "the plugin has not reported a value" : state.reason
      return SpecificationDescription(
        formula: name, reason: "\(name) is unknown: \(reason)", isSatisfied: nil, changedAt: state.changedAt)
    }
    guard !state.reason.isEmpty else {
      return SpecificationDescription(name: name, isSatisfied: value, changedAt: state.changedAt, in: context)
    }
    return SpecificationDescription(
      formula: name, reason: "\(name) is \(value): \(state.reason)", isSatisfied: value, changedAt: state.changedAt)
  }
}

extension Plugin {
  /// Returns a specification, which is live from now on.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil for the plugin's own.
  ///   - settings: An object with the settings; missing ones get their defaults.
  ///   - directory: The directory that relative paths in settings start from; nil is the working directory of the process.
  ///   - access: What it may access; nothing by default.
  ///   - grace: How long it may take to end when it is no longer needed; 10 s by default.
  ///   - onLog: Called with the lines that it logs, on any thread, in order.
  /// - Returns: The specification. A subscription keeps it alive.
  /// - Throws: `no-such-offer` and `plugin-settings`.
  public func specification(
    _ id: String? = nil, settings: JSONValue = [:], directory: String? = nil, access: PluginAccess = .none,
    grace: Duration = .seconds(10),
    onLog: @escaping @Sendable (PluginLogLevel, _ message: String, _ fields: JSONValue?) -> Void = { _, _, _ in }
  ) throws(PluginError) -> PluginSpecification {
    let (offer, settings) = try resolve(id ?? self.id, .specification, settings)
    return PluginSpecification(
      self, offer, settings: settings, directory: directory, access: access, grace: grace, onLog: onLog)
  }
}
