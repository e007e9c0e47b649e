import Operations
import OrderedCollections
import PipelineLanguage
import PluginHost
import RunHistory
import Synchronization
import Values

/// Runs one controller of a pipeline: its instance, which is created again when it fails.
final class ControllerDriver: Sendable {
  private struct State {
    var instance: (any PluginInstance)?
    /// The latest state it reported, for the instance that follows this one.
    var latest: JSONValue?
    var failures = 0
    /// Whether it was told to end.
    var hasEnded = false
    /// Whether the instance has ended by itself.
    var hasInstanceEnded = false
    /// Whether the instance was released after that, so that nothing more is reported.
    var hasLetGo = false
    /// Whether the controller has reported that nothing more will come.
    var isOver = false
    /// How many of its events have been lost since this was last reported, and when that was, by the monotonic clock.
    var losses = 0
    var lossToldAt: Duration?
    var renewal: PluginRenewal?
  }

  /// The maximum number of waiting events. With more, the pipeline is too slow for its controller.
  static let limit = PluginOffer.mostWaiting
  /// The maximum number of waiting instants, which must not be lost lightly.
  static let instantLimit = PluginOffer.mostWaitingInstants
  /// The minimum interval between reports of losses.
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
  private let health: ControllerHealth
  private let state = Mutex(State())

  init(
    plugin: any PipelinePlugin, offer: PluginOffer, settings: JSONValue, secrets: PluginSecrets, services: HostServices,
    pipeline: PipelineDefinition, session: ControllerSession, position: Int
  ) {
    storage = HeldPluginStorage(secrets.access.storage) {
      [catalog = services.plugins.source.catalog, name = pipeline.name] key in
      catalog?.log(.error, plugin: offer.id, pipeline: name, "cannot write its value for '\(key)'")
    }
    self.plugin = plugin
    self.offer = offer
    self.settings = settings
    self.secrets = secrets
    self.services = services
    self.pipeline = pipeline.name
    directory = pipeline.source.directory
    self.session = session
    health = ControllerHealth(of: offer.id, services) { [weak session] in session?.tell($0, of: position) }
  }

  /// Its name, such as `cron`.
  var name: String { offer.id }

  /// Whether nothing more will come.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Whether it was ended, and reports nothing more.
  var hasLetGo: Bool { state.withLock { $0.hasLetGo } }

  /// Starts the controller, and starts it again with new code whenever the plugin's file changes.
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
      defer { if !state.hasEnded { (state.instance, state.hasInstanceEnded) = (instance, false) } }
      return (state.instance, state.hasEnded)
    }
    former?.destroy()
    guard !isOver else { return instance.destroy() }
    instance.start(input)
    health.begins()
  }

  /// How long a controller may take to end.
  private static let grace = Duration.seconds(2)

  /// Ends the instance. What it reports until it has ended is kept.
  func end() {
    let (isFirst, instance, renewal, losses) = state.withLock { state in
      defer { (state.hasEnded, state.renewal, state.losses) = (true, nil, 0) }
      return (!state.hasEnded, state.hasInstanceEnded ? nil : state.instance, state.renewal, state.losses)
    }
    guard isFirst else { return }
    if losses > 0 { tell(losses) }
    renewal?.end()
    guard let instance else { return letGo() }
    // The instance is released when it has ended, or its time is over; until then its reports are handled.
    let loop = services.loop
    loop.execute { _ = loop.schedule(after: Self.grace) { self.letGo() } }
    instance.stop(grace: Self.grace)
  }

  private func letGo() {
    let (isFirst, instance) = state.withLock { state in
      defer { state.hasLetGo = true }
      return (!state.hasLetGo, state.instance.take())
    }
    instance?.destroy()
    if isFirst { session?.noteEnd() }
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
      ask(
        ControllerEvent(controller: offer.id, value: secrets.mask(value), isState: true, weight: signal.weight),
        instance)
    case .rerun(let event):
      let instant = event["instant"]?.stringValue.flatMap(TimestampNotation.parse).map(
        RecordTime.init(secondsSince1970:))
      ask(
        ControllerEvent(controller: offer.id, value: secrets.mask(event), instant: instant, weight: signal.weight),
        instance)
    case .leftOut(let instants): leaveOut(instants, instance)
    case .error(let failure):
      log(.error, "\(failure.code): \(failure.message)")
      health.erred(because: secrets.mask(failure.message))
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

  /// Waits until another event would be kept.
  fileprivate func room() async { await storage.room(below: Self.limit) }

  private func ask(_ event: ControllerEvent, _ instance: (any PluginInstance)?) {
    guard !hasLetGo else { return }
    guard let question = question(hasInstant: event.instant != nil || event.leftOut != nil) else {
      // The instance counts what waits, and is notified. What still waits belongs to an earlier instance.
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
    let what = losses == 1 ? "1 event" : "\(losses) events"
    services.plugins.source.catalog?.log(
      .error, plugin: PluginUse.plugin(of: offer.id), pipeline: pipeline,
      "dropped \(what) of '\(offer.id)': its queue is full because pipeline '\(pipeline)' cannot keep up")
  }

  /// These requests lead to no runs, so values stored after them need not wait for them.
  private func forget(_ questions: [Int]) {
    guard !questions.isEmpty else { return }
    for question in questions { storage.forget(question) }
    Task { [storage] in await storage.write() }
  }

  fileprivate func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    let (failures, isOver) = state.withLock { state in
      state.failures += 1
      state.hasInstanceEnded = true
      if case .success = outcome { state.isOver = true }
      return (state.failures, state.hasEnded)
    }
    guard !isOver else { return letGo() }
    guard case .failure(let failure) = outcome else { return log(.info, "the controller has ended") }
    let willNotBegin = [PluginError.Code.settings, .closed].contains { $0.rawValue == failure.code }
    health.failed(because: secrets.mask(failure.message), isOver: willNotBegin)
    guard !willNotBegin else { return log(.error, failure.message) }
    let (loop, delay) = (services.loop, PluginRestart.delay(failures: failures))
    log(.error, "\(failure.code): \(failure.message); restarting in \(DurationNotation.format(delay))")
    loop.execute { [weak self] in _ = loop.schedule(after: delay) { [weak self] in self?.start() } }
  }

  fileprivate func interrupted(by failure: PluginFailure, pause: Duration) {
    log(.error, failure.message(startingAgainIn: pause))
    health.failed(because: secrets.mask(failure.message), isOver: false)
  }

  fileprivate func resumed() { health.begins() }

  fileprivate func log(_ level: PluginLogLevel, _ text: String) {
    let plugin = plugin.description.id
    let text = secrets.mask(text)
    services.plugins.source.catalog?.log(
      level, plugin: plugin, pipeline: pipeline, offer.id == plugin ? text : "\(offer.id): \(text)")
  }
}

/// An instance that may have been released.
private struct WeakInstance: Sendable {
  weak let value: (any PluginInstance)?

  init(_ value: (any PluginInstance)?) { self.value = value }
}

/// Forwards the reports of an instance without retaining the driver.
private final class ControllerRelay: PluginInstanceEvents {
  private weak let driver: ControllerDriver?
  let instance = Mutex(WeakInstance(nil))

  init(driver: ControllerDriver) { self.driver = driver }

  var keepsSignals: Bool { driver != nil }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { driver?.ended(outcome) }
  func yielded(_ signal: PluginSignal) { driver?.yielded(signal, by: instance.withLock { $0.value }) }
  func room() async { await driver?.room() }
  func interrupted(by failure: PluginFailure, pause: Duration) { driver?.interrupted(by: failure, pause: pause) }
  func resumed() { driver?.resumed() }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    driver?.log(level, PluginLogLine.text(.info, message, fields))
  }

  // Neither applies to controllers.
  func progressed(_ progress: JSONValue) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
}
