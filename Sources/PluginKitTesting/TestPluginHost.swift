import CPluginKit
import PluginKit
import Synchronization

/// A host for tests: drives a plugin through the functions of the contract, without a shared object, a pipeline or a running clock.
///
/// ```swift
/// let host = try TestPluginHost(Words.self)
/// let result = try await host.run("words.count", requirement: "to be or not to be")
/// #expect(result == 6)
/// ```
///
/// The plugin's calls are checked as a real host does: a second end, a call for an instance that no longer exists and invalid JSON are recorded in
/// ``faults``, which is empty for a correct plugin.
public final class TestPluginHost: Sendable {
  private struct State {
    var lastID: penstock_id = 0
    var instances: [penstock_id: WeakInstance] = [:]
    var log: [TestLogLine] = []
    var faults: [String] = []
    var secrets: [String: String]
    var storage: [String: JSONValue] = [:]
    var isClosed = false
  }

  private struct WeakInstance {
    weak var instance: TestInstance?
  }

  /// The clock, which the test advances.
  public let clock: TestHostClock
  let functions: PluginFunctions
  private let state: Mutex<State>
  private let tables = HostTables()
  let waiters = TestWaiters()

  /// Creates a host that has opened `plugin`.
  ///
  /// - Parameters:
  ///   - plugin: The plugin.
  ///   - now: The time of its clock; a billion seconds after the beginning of 1970 by default.
  ///   - secrets: The pipeline's secrets that the plugin may read.
  /// - Throws: `PluginProblem` with the code `open-failed` if the plugin did not open, with everything that it logged.
  public convenience init<P: Plugin>(
    _ plugin: P.Type, now: Timestamp = Timestamp(seconds: 1_000_000_000), secrets: [String: String] = [:]
  ) throws {
    try self.init(PluginFunctions(plugin), now: now, secrets: secrets)
  }

  /// Creates a host that has opened a shared object's exported `penstock_plugin`.
  package convenience init(entry: UnsafeRawPointer, now: Timestamp = Timestamp(seconds: 1_000_000_000)) throws {
    try self.init(PluginFunctions(entry), now: now, secrets: [:])
  }

  /// Creates a host that has opened the one plugin that this process has registered as `@main` does.
  package convenience init(registered: Void, now: Timestamp = Timestamp(seconds: 1_000_000_000)) throws {
    try self.init(PluginFunctions(PluginEntry.functions), now: now, secrets: [:])
  }

  init(_ functions: PluginFunctions, now: Timestamp, secrets: [String: String]) throws {
    self.functions = functions
    clock = TestHostClock(now: now)
    state = Mutex(State(secrets: secrets))
    tables.connect(to: self)
    // A real host also calls `describe` before `open`.
    _ = functions.describe()
    let status = functions.open(tables.host)
    guard status == penstock_status(PENSTOCK_OK) else {
      let log = log.map(\.message).joined(separator: "; ")
      state.withLock { $0.isClosed = true }
      throw PluginProblem("open-failed", "the plugin did not open (status \(status)): \(log)")
    }
  }

  deinit { close() }

  /// Closes the plugin, as a host does at its end. All instances must have been destroyed.
  public func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { functions.close() }
  }

  /// The plugin's description of itself, in the contract's format.
  public var description: JSONValue {
    get throws { try functions.describe().value() ?? .null }
  }

  /// The lines that the plugin has logged.
  public var log: [TestLogLine] { state.withLock { $0.log } }

  /// The plugin's violations of the contract, as sentences.
  public var faults: [String] { state.withLock { $0.faults } }

  /// The values that the plugin has stored.
  public var storage: [String: JSONValue] {
    get { state.withLock { $0.storage } }
    set { state.withLock { $0.storage = newValue } }
  }

  /// Returns when the log has a line that begins with `text`.
  public func hasLogged(_ text: String) async {
    await waiters.wait { [self] in log.contains { $0.message.hasPrefix(text) } }
  }

  // MARK: Instances

  /// Creates an instance of an operation.
  ///
  /// - Throws: The `PluginProblem` with which it rejected the settings.
  public func operation(_ id: String, with settings: JSONValue = [:]) throws -> TestInstance {
    try create(.operation, id, settings)
  }

  /// Creates an instance of a controller. Throws like ``operation(_:with:)``.
  public func controller(_ id: String, with settings: JSONValue = [:]) throws -> TestInstance {
    try create(.controller, id, settings)
  }

  /// Creates an instance of a specification. Throws like ``operation(_:with:)``.
  public func specification(_ id: String, with settings: JSONValue = [:]) throws -> TestInstance {
    try create(.specification, id, settings)
  }

  /// Runs an operation once and returns its result; nil if it has none. Throws the `PluginProblem` that it failed with.
  public func run(
    _ id: String, with settings: JSONValue = [:], requirement: JSONValue? = nil
  ) async throws -> JSONValue? {
    let instance = try operation(id, with: settings)
    defer { instance.destroy() }
    instance.start(requirement.map { ["requirement": $0, "attempt": 1, "pipeline": "test"] } ?? ["attempt": 1])
    return try await instance.end()
  }

  private func create(_ kind: Offer.Kind, _ offer: String, _ settings: JSONValue) throws -> TestInstance {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let instance = TestInstance(host: self, id: id, functions: functions.instance(kind))
    state.withLock { $0.instances[id] = WeakInstance(instance: instance) }
    var pointer: UnsafeMutableRawPointer?
    let status = withText(offer) { offer in
      withText(settings) { functions.create(kind, id, offer, $0, &pointer) }
    }
    guard status == penstock_status(PENSTOCK_OK), let pointer else {
      state.withLock { $0.instances[id] = nil }
      guard case .failed(let problem) = instance.events.last else {
        throw PluginProblem("no-reason", "the plugin created no instance of \(offer) and gave no reason (\(status))")
      }
      throw problem
    }
    instance.made(pointer)
    return instance
  }

  func forget(_ id: penstock_id) { state.withLock { $0.instances[id] = nil } }

  // MARK: Calls from the plugin

  func note(fault: String) { state.withLock { $0.faults.append(fault) } }

  func note(_ line: TestLogLine) {
    state.withLock { $0.log.append(line) }
    waiters.look()
  }

  func tell(_ id: penstock_id, _ make: () throws -> TestEvent) -> penstock_status {
    let event: TestEvent
    do {
      event = try make()
    } catch {
      note(fault: "reported something that violates the contract: \(error)")
      return penstock_status(PENSTOCK_INVALID)
    }
    guard let instance = state.withLock({ $0.instances[id]?.instance }) else {
      return penstock_status(PENSTOCK_UNKNOWN)
    }
    if event.canWait, instance.isFull { return penstock_status(PENSTOCK_FULL) }
    guard instance.take(event) else {
      note(fault: "reported \(event) after its end")
      return penstock_status(PENSTOCK_ENDED)
    }
    waiters.look()
    return penstock_status(PENSTOCK_OK)
  }

  func secret(_ name: String) -> (penstock_status, String) {
    guard let text = state.withLock({ $0.secrets[name] }) else { return (penstock_status(PENSTOCK_DENIED), "") }
    return (penstock_status(PENSTOCK_OK), text)
  }
}
