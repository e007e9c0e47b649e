import CPluginGuard
import Glibc
import PluginABI
import Synchronization
import Values

/// A plugin that runs in this process.
final class InProcessConnection: PluginConnection {
  /// The options of a connection.
  struct Options: Sendable {
    var clock: any PluginClock = SystemPluginClock.shared
    var limits = CallWatchdog.Limits()
    /// Called with log lines that belong to no instance, and with the host's observations.
    var log: @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void = { _, _, _ in }
  }

  private struct Table {
    var instances: [UInt64: InProcessInstance] = [:]
    var timers: [UInt64: InProcessInstance] = [:]
    var lastInstance: UInt64 = 0
    var isRetired = false
    var isClosed = false
    var hasEnded = false
    /// The callers of `close` that wait for the end.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// An instance's id is its number with its offer in the low bits, so that a report of a late call can name the offer.
  private static let offerBits: UInt64 = 10

  let description: PluginDescription
  let options: Options
  let reports: PluginReports
  private let image: PluginImage
  private let offers: [LoadedOffer]
  /// The plugin's `between`, if it has one.
  let between: PluginImage.Between?
  private let table = Mutex(Table())
  private let lastNumber = Atomic<UInt64>(0)
  /// The lane of offers that do not support two calls of their plugin at a time.
  private let pluginLane = SharedCallLane()

  /// Describes and opens the plugin.
  ///
  /// - Throws: `malformed` and `openFailed`.
  init(_ image: PluginImage, options: Options = Options()) throws(PluginError) {
    let description = try PluginDescription.parse(image.describe(), file: image.file, isNewer: image.isNewer)
    var offers: [LoadedOffer] = []
    for (index, offer) in description.offers.enumerated() {
      guard let table = image.capability(offer.kind.capability) else {
        throw PluginError(
          .malformed,
          "plugin '\(image.file)' describes \(offer.kind.noun) '\(offer.id)', but has no '\(offer.kind.capability)'")
      }
      let loaded = try LoadedOffer(
        offer, index: index, functions: table, file: image.file, plugin: description.id)
      offers.append(loaded)
    }
    self.image = image
    self.description = description
    self.offers = offers
    between = try image.between()
    self.options = options
    reports = PluginReports(plugin: description.id, limits: options.limits, log: options.log)
    penstock_guard_add(image.address, description.id)
    try open()
  }

  private func open() throws(PluginError) {
    guard let open = image.entry.pointee.open else { return }
    let host = HostTables.host(for: self)
    let status = CallWatchdog.shared.watch(.open, of: nil, reports) { PluginStatus(open(host)) }
    guard status == .ok else {
      throw PluginError(
        .openFailed, "plugin '\(image.file)' failed to open (status \(status)); see its log")
    }
  }

  // MARK: Instances

  func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    make(offer, access, events) { $0.create(settings) }
  }

  func trial(
    _ offer: PluginOffer, settings: JSONValue, question: InstantsQuestion?, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    make(offer, .none, events) { instance in
      instance.create(settings)
      instance.conclude(question)
    }
  }

  var clock: any PluginClock { options.clock }

  private func make(
    _ offer: PluginOffer, _ access: PluginAccess, _ events: any PluginInstanceEvents,
    _ begin: (InProcessInstance) -> Void
  ) -> any PluginInstance {
    // Offers are few, and comparing equal strings is faster than hashing them.
    guard let loaded = offers.first(where: { $0.offer.kind == offer.kind && $0.offer.id == offer.id }) else {
      return EndedInstance(
        events, .noSuchOffer, "plugin '\(description.id)' offers no \(offer.kind.rawValue) '\(offer.id)'")
    }
    let lane = loaded.offer.threads == .plugin ? pluginLane : nil
    let instance: InProcessInstance? = table.withLock { table in
      guard !table.isRetired else { return nil }
      table.lastInstance += 1
      let id = table.lastInstance << Self.offerBits | UInt64(loaded.index)
      let instance = InProcessInstance(
        id: id, offer: loaded, connection: self, sharedLane: lane, access: access, events: events)
      table.instances[id] = instance
      return instance
    }
    guard let instance else {
      return EndedInstance(
        events, .closed, "plugin '\(description.id)' does not accept new instances: it is being closed")
    }
    begin(instance)
    return instance
  }

  /// Returns the instance with this id.
  func instance(_ id: UInt64, _ function: HostFunction) -> Result<InProcessInstance, PluginMistake.Kind> {
    let finding: Result<InProcessInstance, PluginMistake.Kind> = table.withLock { table in
      if let instance = table.instances[id] { return .success(instance) }
      if table.isClosed { return .failure(.afterClose) }
      let number = id >> Self.offerBits
      return .failure(number > 0 && number <= table.lastInstance && offer(of: id) != nil ? .afterDestroy : .neverWas)
    }
    if case .failure(let kind) = finding { report(PluginMistake(kind: kind, function: function), id: id) }
    return finding
  }

  private func offer(of id: UInt64) -> LoadedOffer? {
    let index = Int(id & (1 << Self.offerBits - 1))
    return offers.indices.contains(index) ? offers[index] : nil
  }

  /// Removes an instance that the plugin has freed.
  func forget(_ instance: InProcessInstance) {
    let isRetired = table.withLock { table in
      table.instances.removeValue(forKey: instance.id)
      return table.isRetired
    }
    if isRetired { closeIfDone() }
  }

  // MARK: Timers

  /// Returns a number for a timer or answer that a plugin waits for.
  func newNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

  func remember(_ instance: InProcessInstance, timer: UInt64) {
    table.withLock { $0.timers[timer] = instance }
  }

  func forgetTimer(_ timer: UInt64) {
    let instance = table.withLock { $0.timers.removeValue(forKey: timer) }
    withExtendedLifetime(instance) {}
  }

  func instance(ofTimer timer: UInt64) -> InProcessInstance? { table.withLock { $0.timers[timer] } }

  // MARK: The end

  /// Whether the plugin's `close` has returned.
  var isClosed: Bool { table.withLock { $0.hasEnded } }

  func retire() {
    table.withLock { $0.isRetired = true }
    closeIfDone()
  }

  func close() async {
    let instances = table.withLock { table in
      table.isRetired = true
      return Array(table.instances.values)
    }
    for instance in instances {
      instance.end(
        .failure(
          PluginFailure(
            code: .closed, message: "\(name(of: instance.offer)) was ended because its plugin is being closed")))
      instance.destroy()
    }
    closeIfDone()
    let alarm = Mutex<PluginAlarm?>(nil)
    await withCheckedContinuation { continuation in
      let isClosed = table.withLock { table in
        if !table.isClosed { table.waiting.append(continuation) }
        return table.isClosed
      }
      guard !isClosed else { return continuation.resume() }
      let patience = options.clock.wake(after: Self.patience) { [self] in giveUp() }
      alarm.withLock { $0 = patience }
    }
    alarm.withLock { $0 }?.cancel()
  }

  /// How long `close` waits for hanging instances.
  private static let patience = Duration.seconds(10)

  private func giveUp() {
    let (waiting, count) = table.withLock { table in
      defer { table.waiting = [] }
      return (table.waiting, table.instances.count)
    }
    guard !waiting.isEmpty else { return }
    report(
      .error, "\(name(of: nil)) could not be closed within \(Self.patience.brief): \(count) of its instances hang")
    for continuation in waiting { continuation.resume() }
  }

  private func closeIfDone() {
    let isDone = table.withLock { table in
      guard table.isRetired, table.instances.isEmpty, !table.isClosed else { return false }
      table.isClosed = true
      return true
    }
    guard isDone else { return }
    if let close = image.entry.pointee.close { CallWatchdog.shared.watch(.close, of: nil, reports) { close() } }
    let waiting = table.withLock { table in
      defer { table.waiting = [] }
      table.hasEnded = true
      return table.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  // MARK: Reports

  /// Returns `specification 'calendar.time-window' of plugin 'calendar'`, for messages.
  func name(of offer: LoadedOffer?) -> String { reports.name(of: offer) }

  func report(_ level: PluginLogLevel, _ message: String) { reports.report(level, message) }

  func report(_ mistake: PluginMistake, about instance: InProcessInstance) {
    report(mistake, id: instance.id)
  }

  func report(_ mistake: PluginMistake, id: UInt64) {
    reports.report(mistake, of: mistake.kind == .neverWas ? nil : offer(of: id), instance: id)
  }

  /// Logs a line of the plugin that belongs to no instance, or to one that has ended.
  func log(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?, _ offer: LoadedOffer?) {
    options.log(level, description.id, PluginLogText.words(message, fields))
  }
}

/// An instance that was never created: its end is reported at once.
package final class EndedInstance: PluginInstance {
  package init(_ events: any PluginInstanceEvents, _ code: PluginError.Code, _ message: String) {
    events.ended(.failure(PluginFailure(code: code, message: message)))
  }

  package func start(_ input: JSONValue) {}
  package func stop(grace: Duration) {}
  package func destroy() {}
}
