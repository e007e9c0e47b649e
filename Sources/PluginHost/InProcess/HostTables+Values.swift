import CPluginGuard
import Glibc
import PluginABI
import Values

/// The service `penstock.values/1`.
extension HostTables {
  static let valuesService = penstock_values_service(
    struct_size: UInt32(MemoryLayout<penstock_values_service>.size), reserved: 0,
    text: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.lend(key, of: source, asJSON: false)
      }
    },
    json: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.lend(key, of: source, asJSON: true)
      }
    },
    integer: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.integer(values.value(key, of: source))
      }
    },
    number: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        guard let number = try values.value(key, of: source).doubleValue else { throw .wrong }
        return number
      }
    },
    boolean: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) -> Int32 in
        guard case .bool(let isTrue) = try values.value(key, of: source) else { throw .wrong }
        return isTrue ? 1 : 0
      }
    },
    duration: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.duration(values.value(key, of: source))
      }
    },
    size: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.size(values.value(key, of: source))
      }
    },
    instant: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.instant(values.value(key, of: source))
      }
    },
    count: { host, id, source, key, value in
      read(host, id, key, value) { values, key throws(ReadableValues.Problem) in
        try values.count(values.value(key, of: source))
      }
    })

  private static func read<Value>(
    _ host: UnsafePointer<penstock_host>?, _ id: penstock_id, _ key: UnsafePointer<CChar>?,
    _ value: UnsafeMutablePointer<Value>?,
    _ body: (inout ReadableValues, String) throws(ReadableValues.Problem) -> Value
  ) -> penstock_status {
    guard let implementation = host?.pointee.implementation,
      let host = Unmanaged<AnyObject>.fromOpaque(implementation).takeUnretainedValue() as? any ValuesHost,
      let key, let value, strnlen(key, PluginText.longestKey + 1) <= PluginText.longestKey,
      let path = String(validatingCString: key)
    else { return PluginStatus.invalid.rawValue }
    penstock_guard_enter_host()
    defer { penstock_guard_leave_host() }
    return host.read(id) { values in
      do throws(ReadableValues.Problem) {
        value.pointee = try body(&values, path)
        return .ok
      } catch {
        return error.status
      }
    }.rawValue
  }
}

/// A host that provides ``HostTables/valuesService``; the object behind its `implementation`.
protocol ValuesHost: AnyObject {
  /// Calls `body` with the values of an instance. `body` must not call the plugin.
  func read(_ id: UInt64, _ body: (inout ReadableValues) -> PluginStatus) -> PluginStatus
}

extension InProcessConnection: ValuesHost {
  func read(_ id: UInt64, _ body: (inout ReadableValues) -> PluginStatus) -> PluginStatus {
    switch instance(id, .readValue) {
    case .success(let instance): instance.read(body)
    case .failure(let kind): kind.status
    }
  }
}
