import Synchronization
import Values

/// An instance of a controller or a specification that is recreated when it fails, until its owner releases it.
///
/// The instance's events go to `listener`, which is held weakly. Its end is reported as well: after a failure, another instance is created one
/// second later. The delay doubles with each further failure, up to a minute, until an instance reports something.
final class KeptInstance: Sendable {
  private struct State {
    var instance: (any PluginInstance)?
    var alarm: PluginAlarm?
    var failures = 0
    var isReleased = false
  }

  /// Failures that a new instance would repeat.
  private static let finalCodes: Set<String> = Set(
    [PluginError.Code.settings, .closed, .noSuchOffer].map(\.rawValue))

  private let plugin: Plugin
  private let offer: PluginOffer
  private let settings: JSONValue
  private let input: JSONValue
  private let access: PluginAccess
  private let grace: Duration
  private let state = Mutex(State())

  init(
    _ plugin: Plugin, _ offer: PluginOffer, settings: JSONValue, input: JSONValue, access: PluginAccess, grace: Duration
  ) {
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.input = input
    self.access = access
    self.grace = grace
  }

  /// Creates the instance and starts it.
  func begin(_ listener: any PluginInstanceEvents) {
    let relay = Relay(self, listener)
    let instance = plugin.create(offer, settings: settings, access: access, events: relay)
    relay.instance.withLock { $0 = instance }
    let (former, isReleased) = state.withLock { state in
      guard !state.isReleased else { return (nil as (any PluginInstance)?, true) }
      defer { state.instance = instance }
      return (state.instance, false)
    }
    former?.destroy()
    guard !isReleased else { return instance.destroy() }
    instance.start(input)
    // An instance that ended before it was stored here would not be destroyed by anyone else.
    if relay.hasEnded.load(ordering: .acquiring) { instance.destroy() }
  }

  /// Asks the instance to end, and destroys it once it has. Nothing is reported any more.
  func release() {
    let (instance, alarm) = state.withLock { state in
      state.isReleased = true
      return (state.instance.take(), state.alarm.take())
    }
    alarm?.cancel()
    instance?.stop(grace: grace)
  }

  var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Notes that the instance works: the next failure counts as the first again.
  fileprivate func works() {
    state.withLock { $0.failures = 0 }
  }

  fileprivate func ended(_ outcome: Result<JSONValue?, PluginFailure>, _ listener: any PluginInstanceEvents) {
    guard case .failure(let failure) = outcome, !Self.finalCodes.contains(failure.code) else { return }
    let failures = state.withLock { state in
      state.failures += 1
      return state.failures
    }
    let delay = Duration.seconds(min(60, 1 << min(failures - 1, 6)))
    let alarm = plugin.clock.wake(after: delay) { [weak self, weak listener] in
      guard let self, let listener else { return }
      begin(listener)
    }
    let isReleased = state.withLock { state in
      if !state.isReleased { state.alarm = alarm }
      return state.isReleased
    }
    if isReleased { alarm.cancel() }
  }
}

/// Forwards an instance's events while its owner and the listener exist.
private final class Relay: PluginInstanceEvents {
  private weak let owner: KeptInstance?
  private weak let listener: (any PluginInstanceEvents)?
  let instance = Mutex<(any PluginInstance)?>(nil)
  let hasEnded = Atomic<Bool>(false)

  init(_ owner: KeptInstance, _ listener: any PluginInstanceEvents) {
    self.owner = owner
    self.listener = listener
  }

  private func told(_ body: (any PluginInstanceEvents) -> Void) {
    guard let owner, let listener, !owner.isReleased else { return }
    owner.works()
    body(listener)
  }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    hasEnded.store(true, ordering: .releasing)
    instance.withLock { $0.take() }?.destroy()
    guard let owner, let listener, !owner.isReleased else { return }
    listener.ended(outcome)
    owner.ended(outcome, listener)
  }

  func progressed(_ progress: JSONValue) { told { $0.progressed(progress) } }
  func yielded(_ signal: PluginSignal) { told { $0.yielded(signal) } }
  func changed(_ isSatisfied: Bool?, reason: String) { told { $0.changed(isSatisfied, reason: reason) } }

  func interrupted(by failure: PluginFailure, pause: Duration) {
    listener?.interrupted(by: failure, pause: pause)
  }

  func resumed() { listener?.resumed() }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    guard let listener else { return }
    listener.logged(level, message, fields)
  }
}
