import Glibc
import OperatingSystem
import PluginABI
import Values

/// A host that only checks: it has the services of a real one, runs nothing, trusts nothing, and notes every rule that the plugin breaks.
///
/// It lives as long as its process, because a plugin may call it at any time.
// @unchecked: mutable state is accessed only with `monitor` locked; no function of the plugin is called then.
final class StrictHost: ValuesHost, @unchecked Sendable {
  let monitor = CheckMonitor()
  /// The `penstock_host` that the plugin receives.
  let table: UnsafeMutablePointer<penstock_host>
  /// Services that are withheld from the plugin.
  private let withheld: Set<String>

  private var instances: [UInt64: StrictInstance] = [:]
  private var lastID: UInt64 = 0
  private var problems: [String] = []
  private var isClosed = false
  private var takesAnyValue = false
  /// Whether a function of a plugin whose offers state "threads": "plugin" is running.
  private var isPluginBusy = false
  private var timers: [UInt64: StrictTimer] = [:]
  private var lastTimer: UInt64 = 0
  private var clockOffset: Int64 = 0

  init(withheld: Set<String> = []) {
    self.withheld = withheld
    table = .allocate(capacity: 1)
    table.initialize(
      to: penstock_host(
        struct_size: UInt32(MemoryLayout<penstock_host>.size), abi_major: UInt16(PENSTOCK_ABI_MAJOR),
        abi_minor: UInt16(PENSTOCK_ABI_MINOR), service: StrictTables.service, implementation: nil))
    table.pointee.implementation = Unmanaged.passRetained(self).toOpaque()
    try? SystemThread.detach("penstock-timers", blocking: .all) { self.fireTimers() }
  }

  func withholds(_ service: String) -> Bool { withheld.contains(service) }

  // MARK: Problems

  /// The rules broken so far, each once.
  var broken: [String] { monitor.locked { problems } }

  func note(_ problem: String) { monitor.locked { noteLocked(problem) } }

  private func noteLocked(_ problem: String) {
    // A plugin that breaks a rule usually does so often.
    if problems.count < 20, !problems.contains(problem) { problems.append(problem) }
  }

  /// From now on accepts any value except invalid errors: a plugin that is given garbage may pass it on.
  func takeAnyValue() { monitor.locked { takesAnyValue = true } }

  func pluginIsClosed() { monitor.locked { isClosed = true } }

  // MARK: Instances

  /// Registers an instance that is about to be created, and returns its id.
  func begin(_ offer: PluginOffer, settings: [UInt8]) -> UInt64 {
    let settings = (try? JSONValue.parse(settings)) ?? .null
    return monitor.locked {
      lastID += 1
      instances[lastID] = StrictInstance(offer: offer, settings: settings)
      return lastID
    }
  }

  /// Notes that an instance is about to be started.
  func starts(_ id: UInt64, input: [UInt8]) {
    let input = (try? JSONValue.parse(input)) ?? .null
    monitor.locked {
      instances[id]?.values.input = input
      instances[id]?.phase = .starting
    }
  }

  func read(_ id: UInt64, _ body: (inout ReadableValues) -> PluginStatus) -> PluginStatus {
    monitor.locked {
      if reach(id, PENSTOCK_VALUES) != nil { return .unknown }
      guard var values = instances[id]?.values else { return .unknown }
      defer { instances[id]?.values = values }
      return body(&values)
    }
  }

  /// Returns the state of an instance; nil once it is destroyed.
  func instance(_ id: UInt64) -> StrictInstance? { monitor.locked { instances[id] } }

  func set(_ id: UInt64, _ phase: StrictInstance.Phase) { monitor.locked { instances[id]?.phase = phase } }

  /// Removes an instance: any further call about it is late.
  func forget(_ id: UInt64) { monitor.locked { instances[id] = nil } }

  /// Waits until `condition` is true for the instance or the time is up; returns whether it is true. True if the instance no longer exists.
  func wait(_ id: UInt64, atMost time: Duration, until condition: (StrictInstance) -> Bool) -> Bool {
    monitor.locked {
      monitor.wait(atMost: time) { instances[id].map(condition) ?? true }
      return instances[id].map(condition) ?? true
    }
  }

  /// Runs a function of the plugin for the instance, once none of its other functions is running.
  func takeTurn<Result>(_ id: UInt64, _ body: () -> Result) -> Result {
    let isExclusive = monitor.locked {
      let isExclusive = instances[id]?.offer.threads == .plugin
      monitor.wait { instances[id]?.isBusy != true && !(isExclusive && isPluginBusy) }
      instances[id]?.isBusy = true
      if isExclusive { isPluginBusy = true }
      return isExclusive
    }
    defer {
      monitor.locked {
        instances[id]?.isBusy = false
        if isExclusive { isPluginBusy = false }
        monitor.wakeAll()
      }
    }
    return body()
  }

  // MARK: Calls from the plugin

  func told(_ what: Told, of id: UInt64, _ payload: ToldText) -> Int32 {
    monitor.locked { reach(id, what.name) ?? judge(what, id, payload) }
  }

  /// Returns the status that refuses a call about an instance, or nil. Call it with the lock held.
  private func reach(_ id: UInt64, _ function: String) -> Int32? {
    if isClosed { noteLocked("it called \(function) after close had returned") }
    if instances[id] != nil { return nil }
    if id == 0 || id > lastID {
      noteLocked("it called \(function) for an instance that never existed: \(id)")
    } else {
      noteLocked("it called \(function) for an instance after its destroy had returned, or after create had failed")
    }
    return Int32(PENSTOCK_UNKNOWN)
  }

  private func judge(_ what: Told, _ id: UInt64, _ payload: ToldText) -> Int32 {
    guard var instance = instances[id] else { return Int32(PENSTOCK_UNKNOWN) }
    if let problem = instance.objection(to: what) { noteLocked(problem) }
    if instance.end != nil { return Int32(PENSTOCK_ENDED) }
    if !takesAnyValue || what.isError, let problem = instance.objection(toValueOf: what, payload) {
      noteLocked(problem)
      if payload.problem != nil {
        if what.isEnd {
          instance.refuseEnd()
          instances[id] = instance
          monitor.wakeAll()
        }
        return Int32(payload.isTooLarge ? PENSTOCK_TOO_LARGE : PENSTOCK_INVALID)
      }
    }
    instance.take(what, payload)
    instances[id] = instance
    monitor.wakeAll()
    return Int32(PENSTOCK_OK)
  }

  func logged(_ id: UInt64, _ message: penstock_text, _ fields: penstock_text) -> Int32 {
    let text = ToldText(message, isJSON: false)
    let json = ToldText(fields)
    return monitor.locked {
      if id != 0, let status = reach(id, "log") { return status }
      if id == 0, isClosed { noteLocked("it called log after close had returned") }
      var problem = text.problem ?? json.problem
      if let value = json.value, value.objectValue == nil { problem = problem ?? "fields that are not an object" }
      guard let problem else { return Int32(PENSTOCK_OK) }
      noteLocked("it called log with \(problem)")
      return Int32(PENSTOCK_INVALID)
    }
  }

  // MARK: The clock

  func now() -> Int64 { SystemClock.nanoseconds(of: CLOCK_REALTIME).addingSaturating(monitor.locked { clockOffset }) }

  /// Sets the wall clock ahead of the system's by this many nanoseconds.
  func setClock(ahead nanoseconds: Int64) {
    monitor.locked {
      clockOffset = nanoseconds
      monitor.wakeAll()
    }
  }

  func addTimer(
    _ id: UInt64, _ instant: Int64, _ fire: penstock_timer_callback?, _ context: UnsafeMutableRawPointer?
  ) -> UInt64 {
    monitor.locked {
      if reach(id, "timer") != nil { return 0 }
      guard let fire else {
        noteLocked("it called timer without a function to call")
        return 0
      }
      guard let instance = instances[id], instance.phase != .ending else { return 0 }
      lastTimer += 1
      timers[lastTimer] = StrictTimer(instance: id, instant: instant, fire: fire, context: context)
      monitor.wakeAll()
      return lastTimer
    }
  }

  func cancelTimer(_ timer: UInt64) {
    monitor.locked {
      timers[timer]?.isCancelled = true
      monitor.wakeAll()
    }
  }

  /// Ends the timers of an instance that is about to be destroyed. Called in the instance's turn.
  func endTimers(of id: UInt64) {
    monitor.locked { instances[id]?.phase = .ending }
    while let timer = monitor.locked({ takeTimer { $0.instance == id } }) {
      timer.fire(timer.context, Int32(PENSTOCK_ENDED))
    }
  }

  private func takeTimer(where condition: (StrictTimer) -> Bool) -> StrictTimer? {
    guard let found = timers.first(where: { condition($0.value) }) else { return nil }
    return timers.removeValue(forKey: found.key)
  }

  private func fireTimers() -> Never {
    while true {
      let due = monitor.locked { () -> UInt64? in
        let now = SystemClock.nanoseconds(of: CLOCK_REALTIME).addingSaturating(clockOffset)
        if let found = timers.first(where: { $0.value.isCancelled || $0.value.instant <= now }) { return found.key }
        let next = timers.values.map(\.instant).min()
        // The wait uses a clock that does not jump; it is limited to one second so that a jump is noticed.
        monitor.waitOnce(atMost: next.map { .nanoseconds(min(max($0 - now, 0), 1_000_000_000)) } ?? .seconds(3600))
        return nil
      }
      guard let due, let id = monitor.locked({ timers[due]?.instance }) else { continue }
      takeTurn(id) {
        // `destroy` may have been faster.
        guard let timer = monitor.locked({ timers.removeValue(forKey: due) }) else { return }
        timer.fire(timer.context, Int32(timer.isCancelled ? PENSTOCK_ENDED : PENSTOCK_OK))
      }
    }
  }
}

/// A timer that a plugin set.
// @unchecked: the context belongs to the plugin and is only passed back.
struct StrictTimer: @unchecked Sendable {
  let instance: UInt64
  let instant: Int64
  let fire: penstock_timer_callback
  let context: UnsafeMutableRawPointer?
  var isCancelled = false
}
