import Operations
import Synchronization
import Values

/// A specification of a plugin: one live instance for all who look at it or subscribe.
///
/// It is alive from the moment it is made until the last one who holds it, or a subscription to it, lets go. Until the plugin has said
/// something, and while it cannot (its instance failed, or its process crashed), its value is unknown, which satisfies nothing; an
/// instance that failed is made again after a second, and later each time until it says something.
public final class PluginSpecification: OperationRunSpecification {
  /// What is known.
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
      case .success: changed(nil, reason: "the plugin has ended it")
      case .failure(let failure): changed(nil, reason: failure.message)
      }
    }

    func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) { onLog(level, message, fields) }

    // Neither is for specifications.
    func progressed(_ progress: JSONValue) {}
    func yielded(_ signal: PluginSignal) {}
  }

  /// What of the plugin it is.
  public let offer: PluginOffer
  /// The settings, checked and with defaults.
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

  /// Whether the plugin has said what the value is, and can be believed still.
  public var isKnown: Bool { value != nil }

  /// Whether the plugin says that the condition holds. False while that is unknown.
  public func isSatisfied(in context: OperationContext) -> Bool { value == true }

  /// What the plugin says; nil while that is unknown.
  public func value(in context: OperationContext) -> Bool? { value }

  /// Calls `onChange` when the value or its reason has changed.
  public func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let subscription = listener.handlers.subscribe { onChange() }
    return OperationSubscription { [self] in withExtendedLifetime(self) { subscription.cancel() } }
  }

  /// The offer's id, and the reason as the plugin gives it.
  public func description(in context: OperationContext) -> SpecificationDescription {
    let state = listener.state.withLock { $0 }
    let name = offer.id
    guard let value = state.value else {
      let reason = state.reason.isEmpty ? "the plugin has not said what it is" : state.reason
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
  /// A specification, which is alive from now on.
  ///
  /// - Parameters:
  ///   - id: The id of the offer; nil is the plugin's own.
  ///   - settings: An object with the settings; defaults are filled in.
  ///   - directory: From where relative paths in settings start; nil is the working directory of the process.
  ///   - access: What it may reach; nothing by default.
  ///   - grace: How long it may take to end when nobody needs it any more: 10 s by default.
  ///   - onLog: Told of the lines that it logs, on any thread, in order.
  /// - Returns: The specification. Who subscribes to it keeps it alive.
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
