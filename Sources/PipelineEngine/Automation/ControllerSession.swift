import DequeModule
import Operations
import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Synchronization
import Values

/// Something that a controller of a pipeline asks for.
public struct ControllerEvent: Sendable {
  /// What the controller is, such as `cron`.
  public var controller: String
  /// What the run finds in `run.given.event`: a state, or why it is to run again.
  public var value: JSONValue
  /// The instant that it is for; of several events with the same instant for one pipeline only one starts a run.
  public var instant: RecordTime?
  /// The instants for which the controller asks for no run, where it is about these: nothing is to be run for it. Only in sessions that were begun with
  /// `leftOut`.
  public var leftOut: LeftOutInstants?
  /// Whether it is a state, which the controller may take back.
  var isState = false
  /// Who asks, and what the run is called by in ``HeldPluginStorage/settle(_:)``.
  fileprivate(set) var driver: ControllerDriver?
  fileprivate(set) var question = 0
  /// The instance that told it.
  fileprivate var instance: (any PluginInstance)?
  /// How many of the instance's signals it counts as.
  fileprivate var weight = 1
}

/// The controllers of a pipeline at work, from ``RunHost/controllers(of:parameters:onEvent:)`` until ``end()``. Any thread.
///
/// What they tell is kept, in order, until somebody takes it for a run. A controller that fails is made again after a while.
public final class ControllerSession: Sendable {
  private struct State {
    var events: Deque<ControllerEvent> = []
    var drivers: [ControllerDriver] = []
    var hasEnded = false
  }

  private let pipeline: PipelineDefinition
  private let services: HostServices
  private let onEvent: @Sendable () -> Void
  /// Whether instants that are left out are among the events.
  fileprivate let keepsLeftOut: Bool
  private let state = Mutex(State())

  init(
    pipeline: PipelineDefinition, services: HostServices, leftOut: Bool = false, onEvent: @escaping @Sendable () -> Void
  ) {
    keepsLeftOut = leftOut
    self.pipeline = pipeline
    self.services = services
    self.onEvent = onEvent
  }

  /// Whether something waits to be taken.
  public var hasEvents: Bool { state.withLock { !$0.events.isEmpty } }

  /// What has not said that nothing more will come, such as `cron`.
  public var awaited: [String] { state.withLock { $0.drivers }.filter { !$0.isOver }.map(\.name) }

  /// Takes the next event for a run that will be started at once; nil where there is none.
  ///
  /// An event with an instant for which a run was started already, by whatever host, is passed over.
  public nonisolated(nonsending) func take() async throws -> ControllerEvent? {
    while let event = next() {
      var isWanted = true
      if let instant = event.instant {
        isWanted = try await services.recorder.claim(instant, of: pipeline.name, at: services.now())
      }
      await settle(event)
      if isWanted { return event }
    }
    return nil
  }

  /// Takes the next event, whatever comes of it; nil where there is none. It is to be settled when that is recorded.
  package func next() -> ControllerEvent? { state.withLock { $0.events.popFirst() } }

  /// What comes of an event is recorded: its controller may remember that it has told of it.
  package nonisolated(nonsending) func settle(_ event: ControllerEvent) async {
    await event.driver?.storage.settle(event.question)
    event.instance?.settled(event.weight)
  }

  /// Ends the controllers. What was not taken is forgotten, and what they remember of it too: they may ask again.
  public func end() {
    let drivers = state.withLock { state in
      state.hasEnded = true
      state.events = []
      defer { state.drivers = [] }
      return state.drivers
    }
    for driver in drivers { driver.end() }
  }

  func begin(_ drivers: [ControllerDriver]) {
    let isOver = state.withLock { state in
      if !state.hasEnded { state.drivers = drivers }
      return state.hasEnded
    }
    guard !isOver else { return }
    for driver in drivers { driver.begin() }
  }

  fileprivate func add(_ event: ControllerEvent) {
    let isKept = state.withLock { state in
      if !state.hasEnded { state.events.append(event) }
      return !state.hasEnded
    }
    if isKept { onEvent() }
  }

  /// Takes the oldest of a controller's events out that has no instant, so that another one can take its place.
  ///
  /// - Returns: What its run would have been called by; nil where there is none.
  fileprivate func dropOldest(of driver: ControllerDriver) -> Int? {
    state.withLock { state in
      let oldest = state.events.firstIndex { $0.driver === driver && $0.instant == nil && $0.leftOut == nil }
      return oldest.map { state.events.remove(at: $0).question }
    }
  }

  /// Forgets the states of a controller that no run has taken.
  ///
  /// - Returns: What their runs would have been called by.
  fileprivate func reset(_ driver: ControllerDriver) -> [Int] {
    state.withLock { state in
      var forgotten: [Int] = []
      state.events.removeAll { event in
        let isForgotten = event.isState && event.driver === driver
        if isForgotten {
          forgotten.append(event.question)
          event.instance?.settled(1)
        }
        return isForgotten
      }
      return forgotten
    }
  }
}

/// One controller of a pipeline: its instance, made again when it fails.
final class ControllerDriver: Sendable {
  private struct State {
    var instance: (any PluginInstance)?
    /// What it told last, for the instance that follows this one.
    var latest: JSONValue?
    var failures = 0
    var hasEnded = false
    /// Whether the controller has said that nothing more will come.
    var isOver = false
    /// How many of its events were lost since that was last told, and when that was, by the monotonic clock.
    var losses = 0
    var lossToldAt: Duration?
    var renewal: PluginRenewal?
  }

  /// More events than that are not kept: the pipeline is too slow for its controller.
  static let limit = PluginOffer.mostWaiting
  /// The same of instants, each of which somebody counts on.
  static let instantLimit = PluginOffer.mostWaitingInstants
  /// How often at most it is told that something was lost.
  private static let lossInterval = Duration.seconds(10)

  /// What it remembers.
  let storage: HeldPluginStorage
  private let plugin: any PipelinePlugin
  private let offer: PluginOffer
  private let settings: JSONValue
  private let secrets: PluginSecrets
  private let services: HostServices
  private let pipeline: String
  private let directory: String
  private weak let session: ControllerSession?
  private let state = Mutex(State())

  init(
    plugin: any PipelinePlugin, offer: PluginOffer, settings: JSONValue, secrets: PluginSecrets, services: HostServices,
    pipeline: PipelineDefinition, session: ControllerSession
  ) {
    storage = HeldPluginStorage(secrets.access.storage) { [catalog = services.plugins.source.catalog] key in
      catalog?.log(.error, plugin: offer.id, "what it remembers under '\(key)' could not be written")
    }
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.secrets = secrets
    self.services = services
    self.pipeline = pipeline.name
    directory = pipeline.source.directory
    self.session = session
  }

  /// What it is, such as `cron`.
  var name: String { offer.id }

  /// Whether nothing more will come.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Begins it, and begins it again with other code whenever the plugin's file changes.
  func begin() {
    start()
    let renewal = PluginRenewal(of: plugin, services.plugins) { [weak self] in self?.start() }
    state.withLock { $0.renewal = renewal }
  }

  private func start() {
    guard !state.withLock({ $0.hasEnded }) else { return }
    let access = PluginAccess(secrets: secrets.access.secrets, storage: storage)
    let relay = ControllerRelay(driver: self)
    let instance = plugin.create(offer, settings: settings, access: access, events: relay)
    relay.instance.withLock { $0 = WeakInstance(instance) }
    let (former, isOver) = state.withLock { state in
      defer { if !state.hasEnded { state.instance = instance } }
      return (state.instance, state.hasEnded)
    }
    former?.destroy()
    if isOver { instance.destroy() } else { instance.start(input) }
  }

  /// How long a controller has to end.
  private static let grace = Duration.seconds(2)

  func end() {
    let (instance, renewal, losses) = state.withLock { state in
      state.hasEnded = true
      defer { (state.renewal, state.losses) = (nil, 0) }
      return (state.instance, state.renewal, state.losses)
    }
    if losses > 0 { tell(losses) }
    renewal?.end()
    guard let instance else { return }
    // The instance is let go of when it has ended, or its time is over: until then it is heard.
    let loop = services.loop
    loop.execute { _ = loop.schedule(after: Self.grace) { self.letGo() } }
    instance.stop(grace: Self.grace)
  }

  private func letGo() {
    let instance = state.withLock { $0.instance.take() }
    instance?.destroy()
  }

  private var input: JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "pipeline": .string(pipeline), "directory": .string(directory),
    ]
    let ended: Set<RunState> = [.succeeded, .failed, .cancelled, .interrupted]
    let filter = RunFilter(pipeline: pipeline, states: ended, limit: 1)
    if let last = try? services.history.runs(filter).first, let started = last.startedAt {
      members["last_run"] = ["started_at": .string(started.text), "state": .string(last.state.rawValue)]
    }
    if plugin.continuesFromLatestEvent {
      let recorded = { [services, pipeline, offer] (url: String) in
        try? services.history.latestEvent(of: pipeline, from: offer.id, url: url)
      }
      members["last_event"] = state.withLock { $0.latest } ?? settings["url"]?.stringValue.flatMap(recorded)
    }
    return .object(members)
  }

  fileprivate func yielded(_ signal: PluginSignal, by instance: (any PluginInstance)?) {
    state.withLock { $0.failures = 0 }
    switch signal {
    case .state(let value):
      if plugin.continuesFromLatestEvent { state.withLock { $0.latest = value } }
      ask(ControllerEvent(controller: offer.id, value: secrets.mask(value), isState: true), instance)
    case .rerun(let event):
      let instant = event["instant"]?.stringValue.flatMap(TimestampNotation.parse).map(
        RecordTime.init(secondsSince1970:))
      ask(ControllerEvent(controller: offer.id, value: secrets.mask(event), instant: instant), instance)
    case .leftOut(let instants): leaveOut(instants, instance)
    case .error(let failure): log(.error, "\(failure.code): \(failure.message)")
    case .reset: forget(session?.reset(self) ?? [])
    }
  }

  private func leaveOut(_ told: JSONValue, _ instance: (any PluginInstance)?) {
    guard let told = PluginLeftOut(told) else { return }
    guard session?.keepsLeftOut == true else {
      instance?.settled(told.weight)
      return
    }
    var event = ControllerEvent(controller: offer.id, value: [:])
    event.leftOut = LeftOutInstants(told)
    event.weight = told.weight
    ask(event, instance)
  }

  /// Returns when another event would be kept.
  fileprivate func room() async { await storage.room(below: Self.limit) }

  private func ask(_ event: ControllerEvent, _ instance: (any PluginInstance)?) {
    guard !state.withLock({ $0.hasEnded }) else { return }
    guard let question = question(hasInstant: event.instant != nil || event.leftOut != nil) else {
      // The instance counts what waits, and is told; what is left are those of an instance before it.
      instance?.settled(event.weight)
      return lose()
    }
    var event = event
    event.driver = self
    event.question = question
    event.instance = instance
    session?.add(event)
  }

  private func question(hasInstant: Bool) -> Int? {
    let limit = hasInstant ? Self.instantLimit : Self.limit
    if let question = storage.ask(atMost: limit) { return question }
    guard offer.whenFull == .replace, !hasInstant, let oldest = session?.dropOldest(of: self) else { return nil }
    storage.forget(oldest)
    return storage.ask(atMost: limit)
  }

  private func lose() {
    let now = services.clock.monotonic()
    let losses = state.withLock { state -> Int? in
      state.losses += 1
      if let told = state.lossToldAt, now - told < Self.lossInterval { return nil }
      state.lossToldAt = now
      defer { state.losses = 0 }
      return state.losses
    }
    if let losses { tell(losses) }
  }

  private func tell(_ losses: Int) {
    let what = losses == 1 ? "an event is lost" : "\(losses) events are lost"
    services.plugins.source.catalog?.log(
      .error, plugin: PluginUse.plugin(of: offer.id),
      "\(what): as many of '\(offer.id)' wait as are kept, because the pipeline '\(pipeline)' is slower than they come")
  }

  /// Nothing comes of these runs: what is remembered after they were asked for need not wait for them.
  private func forget(_ questions: [Int]) {
    guard !questions.isEmpty else { return }
    for question in questions { storage.forget(question) }
    Task { [storage] in await storage.write() }
  }

  fileprivate func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    let (failures, isOver) = state.withLock { state in
      state.failures += 1
      if case .success = outcome { state.isOver = true }
      return (state.failures, state.hasEnded)
    }
    guard !isOver else { return letGo() }
    guard case .failure(let failure) = outcome else { return log(.info, "there is nothing more to come") }
    guard failure.code != PluginError.Code.settings.rawValue, failure.code != PluginError.Code.closed.rawValue else {
      return log(.error, failure.message)
    }
    let (loop, delay) = (services.loop, PluginRestart.delay(failures: failures))
    log(.error, "\(failure.code): \(failure.message); it is begun again in \(DurationNotation.format(delay))")
    loop.execute { [weak self] in _ = loop.schedule(after: delay) { [weak self] in self?.start() } }
  }

  fileprivate func log(_ level: PluginLogLevel, _ text: String) {
    let plugin = plugin.description.id
    let text = secrets.mask(text)
    services.plugins.source.catalog?.log(level, plugin: plugin, offer.id == plugin ? text : "\(offer.id): \(text)")
  }
}

/// An instance that may be gone.
private struct WeakInstance: Sendable {
  weak let value: (any PluginInstance)?

  init(_ value: (any PluginInstance)?) { self.value = value }
}

/// Hears what an instance does without keeping what it is told to.
private final class ControllerRelay: PluginInstanceEvents {
  private weak let driver: ControllerDriver?
  let instance = Mutex(WeakInstance(nil))

  init(driver: ControllerDriver) { self.driver = driver }

  var keepsSignals: Bool { driver != nil }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { driver?.ended(outcome) }
  func yielded(_ signal: PluginSignal) { driver?.yielded(signal, by: instance.withLock { $0.value }) }
  func room() async { await driver?.room() }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    driver?.log(level, PluginLogLine.text(.info, message, fields))
  }

  // Neither is for controllers.
  func progressed(_ progress: JSONValue) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}

extension RunHost {
  /// Lets the controllers of a pipeline begin.
  ///
  /// - Parameters:
  ///   - pipeline: Its `controllers`.
  ///   - parameters: Its params, for their settings.
  ///   - leftOut: Whether instants for which they ask for no run are to be taken too: see ``ControllerEvent/leftOut``.
  ///   - onEvent: Called on any thread when there is something to take. Must return at once.
  /// - Returns: The controllers, not started yet.
  /// - Throws: What an expression in the settings throws, or ``OperationFailure`` where a plugin cannot be used any more.
  public func controllers(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], leftOut: Bool = false,
    onEvent: @escaping @Sendable () -> Void
  ) throws -> ControllerSession {
    let session = ControllerSession(pipeline: pipeline, services: services, leftOut: leftOut, onEvent: onEvent)
    let run = RunProgress(
      id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
    let drivers = try pipeline.controllers.map { controller in
      let use = controller.use
      let plugin = try services.plugins.plugin(use.plugin, in: pipeline)
      let offer = try plugin.offer(use.offer, .controller)
      return ControllerDriver(
        plugin: plugin, offer: offer, settings: try use.settings(for: offer, in: RunContexts(run: run)),
        secrets: PluginSecrets(of: use.plugin, in: pipeline, services.plugins), services: services, pipeline: pipeline,
        session: session)
    }
    session.begin(drivers)
    return session
  }
}
