import CPluginKit
import Synchronization

/// The target of `penstock_plugin`: the only plugin of this shared object.
package enum PluginEntry {
  private static let runtime = Mutex<PluginRuntime?>(nil)
  private static let described = Mutex<DescribedText?>(nil)

  /// Registers `plugin` as the plugin of this shared object, or of this test.
  package static func register(_ plugin: PluginRuntime) {
    runtime.withLock { $0 = plugin }
    described.withLock { $0 = nil }
    var functions = functions
    penstock_kit_register(&functions)
  }

  private static var current: PluginRuntime? { runtime.withLock { $0 } }

  /// The functions of the exported symbol.
  package static let functions = penstock_kit_functions(
    describe: { PluginEntry.describe() },
    open: { host in
      guard let host, let plugin = PluginEntry.current else { return .failed }
      return plugin.open(host)
    },
    close: { PluginEntry.current?.close() },
    capability: { id in
      let id = id.string
      if id == PENSTOCK_INSTANTS { return UnsafeRawPointer(instants) }
      return PluginEntry.tables.first { $0.id == id }.map { UnsafeRawPointer($0.table) }
    })

  private static func describe() -> penstock_text {
    if let described = described.withLock({ $0 }) { return described.text }
    guard let current else { return penstock_text(bytes: nil, length: 0) }
    let text = DescribedText(text: current.describedText())
    return described.withLock { described in
      defer { described = described ?? text }
      return (described ?? text).text
    }
  }

  // The tables are created once, and never changed or freed, as the contract requires.
  nonisolated(unsafe) private static let tables: [(id: String, table: UnsafePointer<penstock_functions>)] = [
    (PENSTOCK_OPERATION, table { create(.operation, $0, $1, $2, $3) }),
    (PENSTOCK_CONTROLLER, table { create(.controller, $0, $1, $2, $3) }),
    (PENSTOCK_SPECIFICATION, table { create(.specification, $0, $1, $2, $3) }),
  ]

  nonisolated(unsafe) private static let instants: UnsafePointer<penstock_instants> = {
    let table = UnsafeMutablePointer<penstock_instants>.allocate(capacity: 1)
    table.initialize(
      to: penstock_instants(
        struct_size: UInt32(MemoryLayout<penstock_instants>.size), reserved: 0,
        between: { instance, input, after, until, limit, take, context in
          guard let instance, let take else { return .invalid }
          let box = Unmanaged<InstanceBox>.fromOpaque(instance).takeUnretainedValue()
          let span = PlannedSpan(
            after: Timestamp(seconds: 0, nanoseconds: after), until: Timestamp(seconds: 0, nanoseconds: until),
            limit: Int(limit))
          do {
            guard let answer = try box.instance.instants(in: span, (try? input.value()) ?? .object([:])) else {
              return .unavailable
            }
            withText(answer) { take(context, $0) }
            return .ok
          } catch {
            return .failed
          }
        }))
    return UnsafePointer(table)
  }()

  private typealias Create =
    @convention(c) (
      penstock_id, penstock_text, penstock_text, UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> penstock_status

  private static func create(
    _ kind: Offer.Kind, _ id: penstock_id, _ offer: penstock_text, _ settings: penstock_text,
    _ instance: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> penstock_status {
    guard let instance, let plugin = current else { return .failed }
    return plugin.create(kind, id, offer: offer, settings: settings, instance)
  }

  private static func table(_ create: @escaping Create) -> UnsafePointer<penstock_functions> {
    let table = UnsafeMutablePointer<penstock_functions>.allocate(capacity: 1)
    table.initialize(
      to: penstock_functions(
        struct_size: UInt32(MemoryLayout<penstock_functions>.size), reserved: 0, create: create,
        start: { instance, input in
          guard let instance else { return }
          // The host guarantees JSON; invalid input counts as empty.
          let value = try? input.value()
          Unmanaged<InstanceBox>.fromOpaque(instance).takeUnretainedValue().instance.start(value ?? .object([:]))
        },
        stop: { instance, nanoseconds in
          guard let instance else { return }
          Unmanaged<InstanceBox>.fromOpaque(instance).takeUnretainedValue().instance.stop(
            within: .nanoseconds(Int64(clamping: nanoseconds)))
        },
        destroy: { instance in
          guard let instance else { return }
          Unmanaged<InstanceBox>.fromOpaque(instance).takeRetainedValue().destroy()
        }))
    return UnsafePointer(table)
  }
}

/// The text that `describe` returned.
private struct DescribedText: @unchecked Sendable {
  // @unchecked: the bytes are never changed and never freed.

  let text: penstock_text
}
