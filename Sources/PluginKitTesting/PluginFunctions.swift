import CPluginKit
import PluginKit

/// A plugin's side of the contract, from a Swift type in this process or from a shared object.
struct PluginFunctions: @unchecked Sendable {
  // @unchecked: the tables do not change while the plugin is loaded, which is until the process ends.

  let describe: () -> penstock_text
  let open: (UnsafePointer<penstock_host>) -> penstock_status
  let close: () -> Void
  let create:
    (
      Offer.Kind, penstock_id, penstock_text, penstock_text, UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> penstock_status
  let instance: (Offer.Kind) -> penstock_functions?
  /// Returns the table of the capability penstock.instants/1; nil if there is none.
  let instants: () -> penstock_instants?

  /// Creates the functions of a type, independent of other plugins in this process.
  init<P: Plugin>(_ plugin: P.Type) {
    let runtime = PluginRuntime(plugin)
    let description = runtime.describedText()
    describe = { description }
    open = { runtime.open($0) }
    close = { runtime.close() }
    create = { runtime.create($0, $1, offer: $2, settings: $3, $4) }
    instance = { Self.table(PluginEntry.functions.capability, $0) }
    instants = { Self.instants(PluginEntry.functions.capability) }
  }

  /// Creates the functions of a table that a shared object exports.
  ///
  /// - Throws: ``PluginProblem`` with the code `malformed-plugin` if it is smaller than in version 1.0.
  init(_ entry: UnsafeRawPointer) throws {
    guard let entry = copyTable(entry, penstock_plugin_entry.self, least: PENSTOCK_PLUGIN_ENTRY_SIZE_1_0) else {
      throw PluginProblem("malformed-plugin", "the plugin's entry is shorter than that of version 1.0")
    }
    describe = { entry.describe() }
    open = { entry.open?($0) ?? penstock_status(PENSTOCK_OK) }
    close = { entry.close?() }
    create = { kind, id, offer, settings, instance in
      guard let table = Self.table(entry.capability, kind) else { return penstock_status(PENSTOCK_UNKNOWN) }
      return table.create(id, offer, settings, instance)
    }
    instance = { Self.table(entry.capability, $0) }
    instants = { entry.abi_minor >= 1 ? Self.instants(entry.capability) : nil }
  }

  /// Creates the functions that a plugin made with the kit registers.
  init(_ functions: penstock_kit_functions) {
    describe = { functions.describe() }
    open = { functions.open($0) }
    close = { functions.close() }
    create = { kind, id, offer, settings, instance in
      guard let table = Self.table(functions.capability, kind) else { return penstock_status(PENSTOCK_UNKNOWN) }
      return table.create(id, offer, settings, instance)
    }
    instance = { Self.table(functions.capability, $0) }
    instants = { Self.instants(functions.capability) }
  }

  private static func instants(_ capability: (penstock_text) -> UnsafeRawPointer?) -> penstock_instants? {
    withText(PENSTOCK_INSTANTS) { copyTable(capability($0), penstock_instants.self, least: PENSTOCK_INSTANTS_SIZE_1_1) }
  }

  private static func table(
    _ capability: (penstock_text) -> UnsafeRawPointer?, _ kind: Offer.Kind
  ) -> penstock_functions? {
    withText("penstock.\(kind.rawValue)/1") { id in
      copyTable(capability(id), penstock_functions.self, least: PENSTOCK_FUNCTIONS_SIZE_1_0)
    }
  }
}
