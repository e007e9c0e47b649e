import CPluginGuard
import Glibc
import PluginABI
import Values

/// The tables of functions that plugins call.
///
/// All arguments come from plugins and are not trusted.
enum HostTables {
  /// Returns the argument of `open`. It is never freed, so that a plugin that calls after `close` does not read freed memory.
  static func host(for connection: InProcessConnection) -> UnsafePointer<penstock_host> {
    let host = UnsafeMutablePointer<penstock_host>.allocate(capacity: 1)
    host.initialize(
      to: penstock_host(
        struct_size: UInt32(MemoryLayout<penstock_host>.size), abi_major: UInt16(PENSTOCK_ABI_MAJOR),
        abi_minor: UInt16(PENSTOCK_ABI_MINOR), service: { _, id in HostTables.service(id) },
        implementation: Unmanaged.passRetained(connection).toOpaque()))
    return UnsafePointer(host)
  }

  private static func service(_ id: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
    guard let id else { return nil }
    for (name, table) in tables.list where strcmp(name, id) == 0 { return table }
    return nil
  }

  private struct Tables: @unchecked Sendable {
    // @unchecked: the tables are written before they are shared, and never changed or freed.
    let list: [(String, UnsafeRawPointer)]
  }

  private static let tables = Tables(list: [
    (PENSTOCK_INSTANCE, permanent(instanceService)), (PENSTOCK_CONTROLLER, permanent(controllerService)),
    (PENSTOCK_SPECIFICATION, permanent(specificationService)), (PENSTOCK_LOG, permanent(logService)),
    (PENSTOCK_CLOCK, permanent(clockService)), (PENSTOCK_SECRETS, permanent(secretsService)),
    (PENSTOCK_WORKSPACE, permanent(workspaceService)), (PENSTOCK_VALUES, permanent(valuesService)),
  ])

  private static func permanent<Table>(_ table: Table) -> UnsafeRawPointer {
    let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    pointer.initialize(to: table)
    return UnsafeRawPointer(pointer)
  }

  private static func size<Table>(_: Table.Type) -> UInt32 { UInt32(MemoryLayout<Table>.size) }

  // MARK: Identifying the caller

  static func connection(_ host: UnsafePointer<penstock_host>?) -> InProcessConnection? {
    guard let implementation = host?.pointee.implementation else { return nil }
    return Unmanaged<InProcessConnection>.fromOpaque(implementation).takeUnretainedValue()
  }

  static func with(
    _ host: UnsafePointer<penstock_host>?, _ id: penstock_id, _ function: HostFunction,
    _ body: (InProcessInstance) -> PluginStatus
  ) -> penstock_status {
    penstock_guard_enter_host()
    defer { penstock_guard_leave_host() }
    guard let connection = connection(host) else { return PluginStatus.invalid.rawValue }
    switch connection.instance(id, function) {
    case .success(let instance): return body(instance).rawValue
    case .failure(let kind): return kind.status.rawValue
    }
  }

  // MARK: Instances

  private static let instanceService = penstock_instance_service(
    struct_size: size(penstock_instance_service.self), reserved: 0,
    complete: { host, id, result in with(host, id, .complete) { $0.complete(result) } },
    fail: { host, id, error in with(host, id, .fail) { $0.fail(error) } },
    progress: { host, id, progress in with(host, id, .progress) { $0.progress(progress) } })

  private static let controllerService = penstock_controller_service(
    struct_size: size(penstock_controller_service.self), reserved: 0,
    yield_state: { host, id, state in with(host, id, .yieldState) { $0.yieldState(state) } },
    yield_error: { host, id, error in with(host, id, .yieldError) { $0.yieldError(error) } },
    yield_rerun: { host, id, event in with(host, id, .yieldRerun) { $0.yieldRerun(event) } },
    yield_reset: { host, id in with(host, id, .yieldReset) { $0.yieldReset() } },
    left_out: { host, id, instants in with(host, id, .leftOut) { $0.leaveOut(instants) } })

  private static let specificationService = penstock_specification_service(
    struct_size: size(penstock_specification_service.self), reserved: 0,
    changed: { host, id, value, reason in with(host, id, .changed) { $0.changed(value, reason) } })

  // MARK: Log

  private static let logService = penstock_log_service(
    struct_size: size(penstock_log_service.self), reserved: 0,
    log: { host, id, level, message, fields in
      guard let connection = connection(host) else { return PluginStatus.invalid.rawValue }
      return log(connection, id, level, message, fields).rawValue
    })

  private static func log(
    _ connection: InProcessConnection, _ id: penstock_id, _ level: Int32, _ message: penstock_text,
    _ fields: penstock_text
  ) -> PluginStatus {
    penstock_guard_enter_host()
    defer { penstock_guard_leave_host() }
    func refuse(_ kind: PluginMistake.Kind) -> PluginStatus {
      connection.report(PluginMistake(kind: kind, function: .log), id: id)
      return kind.status
    }
    // An unknown level comes from a later version.
    let severity = PluginLogLevel(rawValue: level) ?? .info
    let text: String
    switch PluginText.string(message) {
    case .success(let string): text = string
    case .failure(let kind): return refuse(kind)
    }
    let values: JSONValue?
    switch PluginText.json(fields) {
    case .success(let json):
      guard json == nil || json?.objectValue != nil else { return refuse(.noObject) }
      values = json
    case .failure(let kind): return refuse(kind)
    }
    guard id != 0 else {
      connection.log(severity, text, values, nil)
      return .ok
    }
    switch connection.instance(id, .log) {
    case .success(let instance): return instance.log(severity, text, values)
    case .failure(let kind):
      connection.log(severity, text, values, nil)
      return kind.status
    }
  }

  // MARK: Clock

  private static let clockService = penstock_clock_service(
    struct_size: size(penstock_clock_service.self), reserved: 0,
    now: { host in connection(host)?.options.clock.now() ?? 0 },
    monotonic: { host in connection(host)?.options.clock.monotonic() ?? 0 },
    timer: { host, id, instant, fire, context in timer(host, id, instant, fire, context) },
    cancel_timer: { host, timer in
      penstock_guard_enter_host()
      defer { penstock_guard_leave_host() }
      // A timer that has fired or was cancelled is not a mistake: both may happen at the same time.
      connection(host)?.instance(ofTimer: timer)?.answer(later: timer, .ended)
    })

  private static func timer(
    _ host: UnsafePointer<penstock_host>?, _ id: penstock_id, _ instant: Int64, _ fire: penstock_timer_callback?,
    _ context: UnsafeMutableRawPointer?
  ) -> UInt64 {
    guard let connection = connection(host), case .success(let instance) = connection.instance(id, .timer) else {
      return 0
    }
    guard let fire else {
      connection.report(PluginMistake(kind: .noCallback, function: .timer), about: instance)
      return 0
    }
    let number = connection.newNumber()
    connection.remember(instance, timer: number)
    guard instance.await(PendingAnswer(.timer(fire), context: context), number: number) else {
      connection.forgetTimer(number)
      return 0
    }
    instance.keep(connection.options.clock.wake(at: instant) { instance.answer(later: number, .ok) }, for: number)
    return number
  }

  // MARK: Secrets and the workspace

  private static let secretsService = penstock_secrets_service(
    struct_size: size(penstock_secrets_service.self), reserved: 0,
    get: { host, id, name, answer, context in
      ask(host, id, .secret, name, answer, context) { instance, name in
        guard let secrets = instance.access.secrets else { return nil }
        return { () async throws(PluginAccessError) in Array(try await secrets(name).utf8) }
      }
    })

  private static let workspaceService = penstock_workspace_service(
    struct_size: size(penstock_workspace_service.self), reserved: 0,
    get: { host, id, key, answer, context in
      ask(host, id, .value, key, answer, context) { instance, key in
        guard let storage = instance.access.storage else { return nil }
        return { () async throws(PluginAccessError) in json(try await storage.value(of: key)) }
      }
    },
    set: { host, id, key, value, answer, context in
      let parsed = PluginText.json(value)
      ask(host, id, .setValue, key, answer, context, refusing: parsed.failure) { instance, key in
        guard let storage = instance.access.storage, case .success(let value) = parsed else { return nil }
        return { () async throws(PluginAccessError) in
          try await storage.set(value, for: key)
          return []
        }
      }
    },
    list: { host, id, prefix, answer, context in
      ask(host, id, .keys, prefix, answer, context) { instance, prefix in
        guard let storage = instance.access.storage else { return nil }
        return { () async throws(PluginAccessError) in
          json(.array(try await storage.keys(beginningWith: prefix).map { .string($0) }))
        }
      }
    })

  private static func json(_ value: JSONValue) -> [UInt8] {
    var bytes: [UInt8] = []
    value.writeExactly(to: &bytes)
    return bytes
  }

  /// Answers the plugin with the result of the work that `find` returns, or with `unavailable` if it returns none.
  private static func ask(
    _ host: UnsafePointer<penstock_host>?, _ id: penstock_id, _ function: HostFunction, _ key: penstock_text,
    _ answer: penstock_answer?, _ context: UnsafeMutableRawPointer?, refusing mistake: PluginMistake.Kind? = nil,
    _ find: (InProcessInstance, String) -> (@Sendable () async throws(PluginAccessError) -> [UInt8])?
  ) {
    penstock_guard_enter_host()
    defer { penstock_guard_leave_host() }
    func refuse(_ status: PluginStatus) { answer?(context, status.rawValue, PluginText.empty) }
    guard let connection = connection(host) else { return refuse(.invalid) }
    switch connection.instance(id, function) {
    case .failure(let kind): return refuse(kind.status)
    case .success(let instance):
      func refuse(_ kind: PluginMistake.Kind) {
        connection.report(PluginMistake(kind: kind, function: function), about: instance)
        answer?(context, kind.status.rawValue, PluginText.empty)
      }
      guard let answer else { return refuse(.noCallback) }
      if let mistake { return refuse(mistake) }
      guard key.length <= PluginText.longestKey else { return refuse(.longKey) }
      let name: String
      switch PluginText.string(key) {
      case .success(let string): name = string
      case .failure(let kind): return refuse(kind)
      }
      guard let work = find(instance, name) else {
        return answer(context, PluginStatus.unavailable.rawValue, PluginText.empty)
      }
      let number = connection.newNumber()
      guard instance.await(PendingAnswer(.answer(answer), context: context), number: number) else {
        return answer(context, PluginStatus.ended.rawValue, PluginText.empty)
      }
      Task {
        do throws(PluginAccessError) {
          instance.answer(later: number, .ok, try await work())
        } catch {
          instance.answer(later: number, PluginStatus(error))
        }
      }
    }
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
