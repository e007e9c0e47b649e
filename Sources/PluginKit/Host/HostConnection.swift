import CPluginKit

/// The host's tables, from `open` to `close`.
///
/// Every function may be called on any thread, at any time: after `close`, and after the end of the instance concerned, it does nothing.
final class HostConnection: @unchecked Sendable {
  // @unchecked: the pointers are constants, and their targets do not change and may be used from any thread until `close` has returned, which the
  // gate enforces. The tables are copies.

  private let host: UnsafePointer<penstock_host>
  private let instances: penstock_instance_service
  private let controllers: penstock_controller_service?
  private let specifications: penstock_specification_service?
  private let logs: penstock_log_service?
  private let clocks: penstock_clock_service
  private let secrets: penstock_secrets_service?
  private let storage: penstock_workspace_service?
  private let gate = HostGate()

  /// Nil if the host lacks a service that every plugin needs.
  init?(_ host: UnsafePointer<penstock_host>) {
    guard let table = copyTable(host, penstock_host.self, least: PENSTOCK_HOST_SIZE_1_0), let find = table.service
    else { return nil }
    func service<Table>(_ id: String, _ type: Table.Type, _ least: Int32) -> Table? {
      copyTable(id.withCString { find(host, $0) }, type, least: least)
    }
    guard
      let instances = service(
        PENSTOCK_INSTANCE, penstock_instance_service.self, PENSTOCK_INSTANCE_SERVICE_SIZE_1_0),
      let clocks = service(PENSTOCK_CLOCK, penstock_clock_service.self, PENSTOCK_CLOCK_SERVICE_SIZE_1_0)
    else { return nil }
    self.host = host
    self.instances = instances
    self.clocks = clocks
    controllers = service(PENSTOCK_CONTROLLER, penstock_controller_service.self, PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0)
    specifications = service(
      PENSTOCK_SPECIFICATION, penstock_specification_service.self, PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0)
    logs = service(PENSTOCK_LOG, penstock_log_service.self, PENSTOCK_LOG_SERVICE_SIZE_1_0)
    secrets = service(PENSTOCK_SECRETS, penstock_secrets_service.self, PENSTOCK_SECRETS_SERVICE_SIZE_1_0)
    storage = service(PENSTOCK_WORKSPACE, penstock_workspace_service.self, PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0)
  }

  /// Closes the gate: when this returns, no call of the host is in progress, and none follows.
  func close() { gate.close() }

  /// Runs `body`, which calls the host about an instance; nil if the instance no longer exists, or the plugin is closed.
  @discardableResult
  private func enter<Value>(_ instance: InstanceHandle, _ body: (penstock_id) -> Value) -> Value? {
    instance.enter { id in gate.enter { body(id) } } ?? nil
  }

  // MARK: Instances

  func complete(_ instance: InstanceHandle, _ result: JSONValue?) -> penstock_status {
    enter(instance) { id in withText(result) { instances.complete(host, id, $0) } } ?? .unavailable
  }

  func fail(_ instance: InstanceHandle, _ problem: PluginProblem) -> penstock_status {
    enter(instance) { id in withText(problem.json) { instances.fail(host, id, $0) } } ?? .unavailable
  }

  func progress(_ instance: InstanceHandle, _ progress: JSONValue) {
    _ = enter(instance) { id in withText(progress) { instances.progress(host, id, $0) } }
  }

  // MARK: Controllers and specifications

  func yieldState(_ instance: InstanceHandle, _ state: JSONValue) -> penstock_status {
    guard let controllers else { return .unavailable }
    return enter(instance) { id in withText(state) { controllers.yield_state(host, id, $0) } } ?? .unavailable
  }

  func yieldError(_ instance: InstanceHandle, _ problem: PluginProblem) {
    guard let controllers else { return }
    _ = enter(instance) { id in withText(problem.json) { controllers.yield_error(host, id, $0) } }
  }

  func yieldRerun(_ instance: InstanceHandle, _ event: JSONValue) -> penstock_status {
    guard let controllers else { return .unavailable }
    return enter(instance) { id in withText(event) { controllers.yield_rerun(host, id, $0) } } ?? .unavailable
  }

  func yieldReset(_ instance: InstanceHandle) {
    guard let controllers else { return }
    _ = enter(instance) { id in controllers.yield_reset(host, id) }
  }

  /// Returns unavailable if the host is older than this function.
  func leaveOut(_ instance: InstanceHandle, _ instants: JSONValue) -> penstock_status {
    guard let leaveOut = controllers?.left_out else { return .unavailable }
    return enter(instance) { id in withText(instants) { leaveOut(host, id, $0) } } ?? .unavailable
  }

  func changed(_ instance: InstanceHandle, _ value: Bool?, reason: String) {
    guard let specifications else { return }
    let number: Int32 = value.map { $0 ? 1 : 0 } ?? -1
    _ = enter(instance) { id in withText(reason) { specifications.changed(host, id, number, $0) } }
  }

  // MARK: Log and clock

  func log(_ instance: InstanceHandle, _ level: PluginLog.Level, _ message: String, _ fields: JSONValue?) {
    guard let logs else { return }
    func write(_ id: penstock_id) {
      withText(message) { message in
        withText(fields) { fields in _ = logs.log(host, id, level.rawValue, message, fields) }
      }
    }
    // The last lines of an instance that no longer exists are worth keeping.
    if enter(instance, write) == nil { enter(.none, write) }
  }

  /// Nanoseconds since 1970; nil after `close`.
  func now() -> Int64? { gate.enter { clocks.now(host) } }

  /// Nanoseconds that never go back; nil after `close`.
  func monotonic() -> Int64? { gate.enter { clocks.monotonic(host) } }

  /// Returns the timer, or 0 if none was set, in which case `fire` is not called.
  func timer(
    _ instance: InstanceHandle, at instant: Int64, _ context: UnsafeMutableRawPointer,
    _ fire: @escaping @convention(c) (UnsafeMutableRawPointer?, penstock_status) -> Void
  ) -> UInt64 {
    enter(instance) { id in clocks.timer(host, id, instant, fire, context) } ?? 0
  }

  func cancelTimer(_ timer: UInt64) {
    _ = gate.enter { clocks.cancel_timer(host, timer) }
  }

  // MARK: Secrets and storage

  func secret(_ instance: InstanceHandle, _ name: String) async throws -> String {
    guard let secrets else { throw PluginAccessProblem.unavailable("the host has no secrets") }
    return try await answer(instance) { id, context in
      withText(name) { secrets.get(host, id, $0, HostAnswer.take, context) }
    }
  }

  func stored(_ instance: InstanceHandle, _ key: String) async throws -> String {
    let storage = try availableStorage()
    return try await answer(instance) { id, context in
      withText(key) { storage.get(host, id, $0, HostAnswer.take, context) }
    }
  }

  func store(_ instance: InstanceHandle, _ key: String, _ value: JSONValue?) async throws {
    let storage = try availableStorage()
    _ = try await answer(instance) { id, context in
      withText(key) { key in
        withText(value) { storage.set(host, id, key, $0, HostAnswer.take, context) }
      }
    }
  }

  func keys(_ instance: InstanceHandle, _ prefix: String) async throws -> String {
    let storage = try availableStorage()
    return try await answer(instance) { id, context in
      withText(prefix) { storage.list(host, id, $0, HostAnswer.take, context) }
    }
  }

  private func availableStorage() throws -> penstock_workspace_service {
    guard let storage else { throw PluginAccessProblem.unavailable("the host has no workspace") }
    return storage
  }

  /// Returns the answer to the question that `ask` sends, as text.
  private func answer(
    _ instance: InstanceHandle, to ask: (penstock_id, UnsafeMutableRawPointer) -> Void
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      let context = Unmanaged.passRetained(HostAnswer(continuation)).toOpaque()
      if enter(instance, { ask($0, context) }) == nil {
        Unmanaged<HostAnswer>.fromOpaque(context).release()
        continuation.resume(
          throwing: PluginAccessProblem.unavailable("the instance was destroyed, or the plugin is closed"))
      }
    }
  }
}

/// Waits for one answer from the host.
private final class HostAnswer: Sendable {
  private let continuation: CheckedContinuation<String, any Error>

  init(_ continuation: CheckedContinuation<String, any Error>) { self.continuation = continuation }

  /// The contract's callback, which is called exactly once.
  static let take: @convention(c) (UnsafeMutableRawPointer?, penstock_status, penstock_text) -> Void = {
    context, status, value in
    guard let context else { return }
    let answer = Unmanaged<HostAnswer>.fromOpaque(context).takeRetainedValue()
    if status == .ok {
      answer.continuation.resume(returning: value.string)
    } else {
      answer.continuation.resume(throwing: PluginAccessProblem(status: status))
    }
  }
}

extension PluginAccessProblem {
  /// Creates the problem for the status of the host's answer.
  init(status: penstock_status) {
    switch status {
    case .denied: self = .denied
    case .unknown: self = .unknown
    case .unavailable: self = .unavailable("the host cannot reach it now")
    default: self = .refused
    }
  }
}
