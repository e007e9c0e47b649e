import Operations
import PipelineLanguage
import PluginHost
import Synchronization
import Values

/// The value of a plugin's specification, for as long as this object is retained. May be used from any thread.
///
/// An instance that fails, or whose plugin crashes, is created again after a while. In the meantime the value is unknown, which satisfies nothing.
final class PluginCondition: OperationRunSpecification {
  /// Identifies equal uses, which share one instance.
  struct Key: Hashable, Sendable {
    var offer: String
    var settings: String
    var pipeline: String
    /// The directory that relative paths in the settings are resolved against.
    var directory: String
    var reference: PluginReference?

    init(offer: String, settings: String, pipeline: PipelineDefinition) {
      self.offer = offer
      self.settings = settings
      self.pipeline = pipeline.name
      directory = pipeline.source.directory
      reference = pipeline.plugins[PluginUse.plugin(of: offer)]
    }
  }

  private struct State {
    /// Nil if unknown.
    var value: Bool?
    var reason: String?
    var changedAt: Timestamp?
    /// Whether the plugin has reported a value, or failed to.
    var isSettled = false
    var instance: (any PluginInstance)?
    /// How often it was created again since it last reported a value.
    var failures = 0
    var waiters: [PluginConditionWaiter] = []
    var hasEnded = false
  }

  /// How long a plugin may take for its first value before it counts as unknown.
  static let patience = Duration.seconds(5)

  private let plugin: any PipelinePlugin
  private let offer: PluginOffer
  private let settings: JSONValue
  private let directory: String
  private let secrets: PluginSecrets
  private let services: PluginServices
  private let state = Mutex(State())
  private let handlers = HandlerList<Void>()
  private let renewal = Mutex<PluginRenewal?>(nil)

  init(
    plugin: any PipelinePlugin, offer: PluginOffer, settings: JSONValue, directory: String, secrets: PluginSecrets,
    services: PluginServices
  ) {
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.directory = directory
    self.secrets = secrets
    self.services = services
    begin()
    let renewal = PluginRenewal(of: plugin, services) { [weak self] in self?.begin() }
    self.renewal.withLock { $0 = renewal }
  }

  deinit {
    renewal.withLock { $0 }?.end()
    state.withLock { $0.instance }?.destroy()
  }

  private func begin() {
    let relay = PluginConditionRelay(self)
    let instance = plugin.create(offer, settings: settings, access: secrets.access, events: relay)
    let former = state.withLock { state in
      defer { state.instance = instance }
      return state.instance
    }
    former?.destroy()
    instance.start(["directory": .string(directory)])
  }

  // MARK: OperationRunSpecification

  func isSatisfied(in context: OperationContext) -> Bool { value(in: context) == true }

  func value(in context: OperationContext) -> Bool? { state.withLock { $0.value } }

  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    let subscription = handlers.subscribe { onChange() }
    // A subscriber keeps it alive.
    return OperationSubscription { [self] in withExtendedLifetime(self) { subscription.cancel() } }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let (value, reason, changedAt) = state.withLock { ($0.value, $0.reason, $0.changedAt) }
    guard let value else {
      let why = reason.map { ": \($0)" } ?? ": the plugin has not answered yet"
      return SpecificationDescription(formula: offer.id, reason: "\(offer.id) is unknown\(why)", isSatisfied: nil)
    }
    guard let reason, !reason.isEmpty else {
      return SpecificationDescription(name: offer.id, isSatisfied: value, changedAt: changedAt, in: context)
    }
    return SpecificationDescription(formula: offer.id, reason: reason, isSatisfied: value, changedAt: changedAt)
  }

  // MARK: The first value

  /// Whether the plugin has reported a value.
  var isSettled: Bool { state.withLock { $0.isSettled } }

  /// Waits for the first value, but at most for ``patience``.
  func settle(isolation: isolated (any Actor)? = #isolation) async {
    let waiter = PluginConditionWaiter()
    let mustWait = state.withLock { state in
      if !state.isSettled { state.waiters.append(waiter) }
      return !state.isSettled
    }
    guard mustWait else { return }
    let loop = services.loop
    loop.execute { _ = loop.schedule(after: Self.patience) { waiter.wake() } }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter.wait($0) }
    } onCancel: {
      waiter.wake()
    }
  }

  // MARK: Reports of the plugin

  fileprivate func changed(_ isSatisfied: Bool?, reason: String) {
    let now = services.clock.now()
    let reason = secrets.mask(reason)
    let (isNew, waiters) = state.withLock { state in
      let isNew = state.value != isSatisfied || state.reason != reason || !state.isSettled
      if state.value != isSatisfied { state.changedAt = now }
      (state.value, state.reason) = (isSatisfied, reason.isEmpty ? nil : reason)
      state.failures = 0
      return (isNew, Self.settle(&state))
    }
    for waiter in waiters { waiter.wake() }
    if isNew { handlers.notify(()) }
  }

  fileprivate func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    let reason =
      switch outcome {
      case .success: "the plugin ended it"
      case .failure(let failure): secrets.mask(failure.message)
      }
    let (failures, waiters) = state.withLock { state in
      state.value = nil
      state.reason = reason
      state.failures += 1
      return (state.failures, Self.settle(&state))
    }
    for waiter in waiters { waiter.wake() }
    handlers.notify(())
    guard case .failure(let failure) = outcome else { return }
    log(.error, "\(offer.id): \(failure.message)")
    // Settings that the plugin rejects now will be rejected later, too.
    guard failure.code != PluginError.Code.settings.rawValue else { return }
    let (loop, delay) = (services.loop, PluginRestart.delay(failures: failures))
    loop.execute { [weak self] in _ = loop.schedule(after: delay) { [weak self] in self?.begin() } }
  }

  fileprivate func log(_ level: PluginLogLevel, _ text: String) {
    services.source.catalog?.log(level, plugin: plugin.description.id, pipeline: nil, secrets.mask(text))
  }

  private static func settle(_ state: inout State) -> [PluginConditionWaiter] {
    state.isSettled = true
    defer { state.waiters = [] }
    return state.waiters
  }
}

/// The delay before an instance that failed is created again: a second, doubling each time, up to a minute.
enum PluginRestart {
  static func delay(failures: Int) -> Duration { .seconds(min(60, 1 << min(max(failures - 1, 0), 6))) }
}

/// Forwards the reports of an instance without retaining the condition: the host keeps instances alive, and with them their listeners.
private final class PluginConditionRelay: PluginInstanceEvents {
  private weak let condition: PluginCondition?

  init(_ condition: PluginCondition) { self.condition = condition }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { condition?.ended(outcome) }
  func changed(_ isSatisfied: Bool?, reason: String) { condition?.changed(isSatisfied, reason: reason) }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    condition?.log(level, PluginLogLine.text(.info, message, fields))
  }

  // Neither applies to specifications.
  func progressed(_ progress: JSONValue) {}
  func yielded(_ signal: PluginSignal) {}
}

/// A task that waits for a first value.
final class PluginConditionWaiter: Sendable {
  private struct State {
    var hasCome = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let hasCome = state.withLock { state in
      if !state.hasCome { state.continuation = continuation }
      return state.hasCome
    }
    if hasCome { continuation.resume() }
  }

  func wake() {
    let continuation = state.withLock { state in
      state.hasCome = true
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume()
  }
}

/// The plugins' specifications in use: one instance serves all uses that are equal. May be used from any thread.
final class PluginConditions: Sendable {
  private struct Weak { weak var condition: PluginCondition? }

  private let known = Mutex<[PluginCondition.Key: Weak]>([:])

  /// Returns the condition with this key, created by `make` if there is none. *On the event loop*, so that no two are created.
  func condition(_ key: PluginCondition.Key, _ make: () -> PluginCondition) -> PluginCondition {
    if let found = known.withLock({ $0[key]?.condition }) { return found }
    let made = make()
    known.withLock { known in
      known[key] = Weak(condition: made)
      if known.count > 64 { known = known.filter { $0.value.condition != nil } }
    }
    return made
  }
}
