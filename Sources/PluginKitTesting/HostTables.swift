import CPluginKit
import PluginKit

/// The tables of C functions that a ``TestPluginHost`` provides to its plugin.
final class HostTables: @unchecked Sendable {
  // @unchecked: filled once before the plugin sees it, and not changed afterwards.

  private typealias Host = UnsafePointer<penstock_host>?

  /// The host's table. It is never freed: a plugin may keep it, and a test's memory ends with the test.
  let host: UnsafeMutablePointer<penstock_host>

  init() {
    host = .allocate(capacity: 1)
    host.initialize(
      to: penstock_host(
        struct_size: UInt32(MemoryLayout<penstock_host>.size), abi_major: UInt16(PENSTOCK_ABI_MAJOR),
        abi_minor: UInt16(PENSTOCK_ABI_MINOR),
        service: { _, id in id.flatMap { HostTables.service(String(cString: $0)) } },
        implementation: nil))
  }

  /// Connects the functions to `owner`, which is held weakly.
  func connect(to owner: TestPluginHost) {
    host.pointee.implementation = Unmanaged.passRetained(WeakHost(owner)).toOpaque()
  }

  private static func owner(_ host: Host) -> TestPluginHost? {
    guard let implementation = host?.pointee.implementation else { return nil }
    return Unmanaged<WeakHost>.fromOpaque(implementation).takeUnretainedValue().host
  }

  private static func tell(
    _ host: Host, _ id: penstock_id, _ event: () throws -> TestEvent
  ) -> penstock_status {
    owner(host)?.tell(id, event) ?? penstock_status(PENSTOCK_UNKNOWN)
  }

  private static func required(_ text: penstock_text) throws -> JSONValue {
    guard let value = try text.value() else { throw PluginProblem("test-host", "JSON is required here") }
    return value
  }

  private static func problem(_ text: penstock_text) throws -> PluginProblem {
    let value = try required(text)
    guard let code = value["code"]?.stringValue, let message = value["message"]?.stringValue else {
      throw PluginProblem("test-host", "an error needs code and message: \(value.text)")
    }
    return PluginProblem(
      code, message, retryAfter: value["retry_after"]?.doubleValue.map { .seconds($0) }, detail: value["detail"])
  }

  private static func service(_ id: String) -> UnsafeRawPointer? { services[id] }

  private static func table<Table>(_ table: Table) -> UnsafeRawPointer {
    let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    pointer.initialize(to: table)
    return UnsafeRawPointer(pointer)
  }

  private static func size<Table>(_ type: Table.Type) -> UInt32 { UInt32(MemoryLayout<Table>.size) }

  // Created once, and never changed or freed.
  nonisolated(unsafe) private static let services: [String: UnsafeRawPointer] = [
    PENSTOCK_INSTANCE: table(
      penstock_instance_service(
        struct_size: size(penstock_instance_service.self), reserved: 0,
        complete: { host, id, result in tell(host, id) { .completed(try result.value()) } },
        fail: { host, id, error in tell(host, id) { .failed(try problem(error)) } },
        progress: { host, id, progress in tell(host, id) { .progress(try required(progress)) } })),
    PENSTOCK_CONTROLLER: table(
      penstock_controller_service(
        struct_size: size(penstock_controller_service.self), reserved: 0,
        yield_state: { host, id, state in tell(host, id) { .state(try required(state)) } },
        yield_error: { host, id, error in tell(host, id) { .error(try problem(error)) } },
        yield_rerun: { host, id, event in tell(host, id) { .rerun(try required(event)) } },
        yield_reset: { host, id in tell(host, id) { .reset } },
        left_out: { host, id, instants in tell(host, id) { .leftOut(try required(instants)) } })),
    PENSTOCK_SPECIFICATION: table(
      penstock_specification_service(
        struct_size: size(penstock_specification_service.self), reserved: 0,
        changed: { host, id, value, reason in
          tell(host, id) { .changed(value < 0 ? nil : value == 1, reason: reason.string) }
        })),
    PENSTOCK_LOG: table(
      penstock_log_service(
        struct_size: size(penstock_log_service.self), reserved: 0,
        log: { host, _, level, message, fields in
          let level = PluginLog.Level(rawValue: level) ?? .info
          owner(host)?.note(TestLogLine(level: level, message: message.string, fields: (try? fields.value()) ?? nil))
          return penstock_status(PENSTOCK_OK)
        })),
    PENSTOCK_CLOCK: table(
      penstock_clock_service(
        struct_size: size(penstock_clock_service.self), reserved: 0,
        now: { host in owner(host).map { $0.clock.now.seconds * 1_000_000_000 + Int64($0.clock.now.nanoseconds) } ?? 0
        },
        monotonic: { host in owner(host).map { Int64($0.clock.monotonic / .nanoseconds(1)) } ?? 0 },
        timer: { host, id, instant, fire, context in
          guard let owner = owner(host), let fire else { return 0 }
          return owner.clock.add(id, at: instant, fire, context)
        },
        cancel_timer: { host, timer in owner(host)?.clock.cancel(timer) })),
    PENSTOCK_SECRETS: table(
      penstock_secrets_service(
        struct_size: size(penstock_secrets_service.self), reserved: 0,
        get: { host, _, name, answer, context in
          let (status, text) = owner(host)?.secret(name.string) ?? (penstock_status(PENSTOCK_UNAVAILABLE), "")
          withText(text) { answer?(context, status, $0) }
        })),
    PENSTOCK_WORKSPACE: table(
      penstock_workspace_service(
        struct_size: size(penstock_workspace_service.self), reserved: 0,
        get: { host, _, key, answer, context in
          let value = owner(host)?.storage[key.string]
          withText(value) { answer?(context, penstock_status(value == nil ? PENSTOCK_UNKNOWN : PENSTOCK_OK), $0) }
        },
        set: { host, _, key, value, answer, context in
          owner(host)?.storage[key.string] = (try? value.value()) ?? nil
          withText(nil) { answer?(context, penstock_status(PENSTOCK_OK), $0) }
        },
        list: { host, _, prefix, answer, context in
          let keys =
            owner(host)?.storage.keys.filter { $0.utf8.starts(with: prefix.string.utf8) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } ?? []
          withText(.array(keys.map { .string($0) })) { answer?(context, penstock_status(PENSTOCK_OK), $0) }
        })),
  ]
}

/// A weak reference to a host.
private final class WeakHost: Sendable {
  weak let host: TestPluginHost?

  init(_ host: TestPluginHost) { self.host = host }
}
