import Glibc
import OperatingSystem
import PluginABI

/// The C tables of the strict host's services. They live as long as the process.
enum StrictTables {
  static let service: @convention(c) (UnsafePointer<penstock_host>?, UnsafePointer<CChar>?) -> UnsafeRawPointer? = {
    host, id in
    guard let strict = StrictHost.of(host), let id else { return nil }
    let name = String(cString: id)
    return strict.withholds(name) ? nil : tables[name]?.pointer
  }

  // @unchecked: written once, before it is read.
  private struct Table: @unchecked Sendable {
    let pointer: UnsafeRawPointer

    init<Service>(_ service: Service) {
      let memory = UnsafeMutablePointer<Service>.allocate(capacity: 1)
      memory.initialize(to: service)
      pointer = UnsafeRawPointer(memory)
    }
  }

  /// Secrets and the workspace are missing: not every host has them.
  private static let tables: [String: Table] = [
    PENSTOCK_INSTANCE: Table(
      penstock_instance_service(
        struct_size: UInt32(MemoryLayout<penstock_instance_service>.size), reserved: 0,
        complete: { host, id, text in StrictHost.told(host, .complete, id, text) },
        fail: { host, id, text in StrictHost.told(host, .fail, id, text) },
        progress: { host, id, text in StrictHost.told(host, .progress, id, text) })),
    PENSTOCK_CONTROLLER: Table(
      penstock_controller_service(
        struct_size: UInt32(MemoryLayout<penstock_controller_service>.size), reserved: 0,
        yield_state: { host, id, text in StrictHost.told(host, .state, id, text) },
        yield_error: { host, id, text in StrictHost.told(host, .error, id, text) },
        yield_rerun: { host, id, text in StrictHost.told(host, .rerun, id, text) },
        yield_reset: { host, id in StrictHost.told(host, .reset, id, penstock_text(bytes: nil, length: 0)) },
        left_out: { host, id, text in StrictHost.told(host, .leftOut, id, text) })),
    PENSTOCK_SPECIFICATION: Table(
      penstock_specification_service(
        struct_size: UInt32(MemoryLayout<penstock_specification_service>.size), reserved: 0,
        changed: { host, id, value, reason in StrictHost.told(host, .changed(value), id, reason) })),
    PENSTOCK_LOG: Table(
      penstock_log_service(
        struct_size: UInt32(MemoryLayout<penstock_log_service>.size), reserved: 0,
        log: { host, id, _, message, fields in
          StrictHost.of(host)?.logged(id, message, fields) ?? Int32(PENSTOCK_INVALID)
        })),
    PENSTOCK_CLOCK: Table(
      penstock_clock_service(
        struct_size: UInt32(MemoryLayout<penstock_clock_service>.size), reserved: 0,
        now: { host in StrictHost.of(host)?.now() ?? 0 },
        monotonic: { _ in SystemClock.nanoseconds(of: CLOCK_MONOTONIC) },
        timer: { host, id, instant, fire, context in StrictHost.of(host)?.addTimer(id, instant, fire, context) ?? 0 },
        cancel_timer: { host, timer in StrictHost.of(host)?.cancelTimer(timer) })),
    PENSTOCK_VALUES: Table(HostTables.valuesService),
  ]
}

extension StrictHost {
  /// Returns the host that a plugin passed; nil for NULL.
  static func of(_ host: UnsafePointer<penstock_host>?) -> StrictHost? {
    guard let implementation = host?.pointee.implementation else { return nil }
    return Unmanaged<StrictHost>.fromOpaque(implementation).takeUnretainedValue()
  }

  static func told(_ host: UnsafePointer<penstock_host>?, _ what: Told, _ id: UInt64, _ text: penstock_text) -> Int32 {
    guard let strict = of(host) else { return Int32(PENSTOCK_INVALID) }
    // The reason of a specification is plain text.
    if case .changed = what { return strict.told(what, of: id, ToldText(text, isJSON: false)) }
    return strict.told(what, of: id, ToldText(text))
  }
}
