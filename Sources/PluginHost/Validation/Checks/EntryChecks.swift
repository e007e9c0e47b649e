import Glibc
import PluginABI
import Values

extension CheckContext {
  /// Loads the shared object, and reads the numbers in its entry.
  func entry() throws(CheckInterruption) -> UnsafePointer<penstock_plugin_entry> {
    doing("load the shared object")
    // Without a slash, the linker would search the system's libraries.
    let path = order.file.contains("/") ? order.file : "./\(order.file)"
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw .failed("it cannot be loaded: \(dlerror().map { String(cString: $0) } ?? "no reason was given")")
    }
    guard let symbol = dlsym(library, "penstock_plugin") else {
      throw .failed("it does not export penstock_plugin; mark the entry with PENSTOCK_EXPORT")
    }
    let least = PENSTOCK_PLUGIN_ENTRY_SIZE_1_0
    guard let copy = ContractTable.copy(symbol, penstock_plugin_entry.self, least: least) else {
      throw .failed("struct_size of its entry is \(ContractTable.size(symbol)), at least \(least) is needed")
    }
    let entry = ContractTable.keep(copy)
    guard entry.pointee.abi_major == PENSTOCK_ABI_MAJOR else {
      throw .failed(
        "it uses version \(entry.pointee.abi_major).\(entry.pointee.abi_minor) of the contract, but this host uses "
          + Self.version
      )
    }
    guard entry.pointee.abi_minor_needed <= PENSTOCK_ABI_MINOR else {
      throw .failed(
        "it needs version \(entry.pointee.abi_major).\(entry.pointee.abi_minor_needed) of the contract, but this host has "
          + Self.version)
    }
    if entry.pointee.abi_minor_needed > entry.pointee.abi_minor {
      problem(
        "abi_minor_needed is \(entry.pointee.abi_minor_needed), more than its abi_minor \(entry.pointee.abi_minor)")
    }
    let reserved = entry.pointee.reserved
    if reserved.0 != 0 || reserved.1 != 0 || reserved.2 != 0 { problem("the reserved members of its entry are not 0") }
    guard entry.pointee.describe != nil else { throw .failed("its entry has no describe") }
    guard entry.pointee.capability != nil else { throw .failed("its entry has no capability") }
    return entry
  }

  private static var version: String { "\(PENSTOCK_ABI_MAJOR).\(PENSTOCK_ABI_MINOR)" }

  /// Returns the result of `describe` as bytes.
  private func descriptionBytes(_ entry: UnsafePointer<penstock_plugin_entry>) -> [UInt8] {
    guard let text = entry.pointee.describe?(), let bytes = text.bytes else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: text.length))
  }

  private func described(json entry: UnsafePointer<penstock_plugin_entry>) throws(CheckInterruption) -> JSONValue {
    doing("describe")
    let bytes = descriptionBytes(entry)
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw .failed("its description is not JSON: \(error)")
    }
  }

  /// Returns the description if it is valid.
  func described(_ entry: UnsafePointer<penstock_plugin_entry>) throws(CheckInterruption) -> PluginDescription {
    let isNewer = entry.pointee.abi_minor > PENSTOCK_ABI_MINOR
    let json = try described(json: entry)
    do {
      return try PluginDescription.parse(json, file: order.file, isNewer: isNewer)
    } catch {
      throw .failed(error.message)
    }
  }

  func description() throws(CheckInterruption) {
    let entry = try entry()
    let problems = PluginDescription.problems(
      in: try described(json: entry), isNewer: entry.pointee.abi_minor > PENSTOCK_ABI_MINOR)
    for found in problems { problem("\(found)") }
    guard problems.isEmpty else { return }
    let description = try described(entry)
    channel?.tell(.plugin(id: description.id, offers: description.offers.map(\.id)))
  }

  func describe() throws(CheckInterruption) {
    let plugin = try plugin()
    let first = descriptionBytes(plugin.entry)
    let before = ProcessPicture.take()
    for _ in 0..<10 where descriptionBytes(plugin.entry) != first {
      problem("describe returns a different answer the second time")
    }
    let after = ProcessPicture.take()
    for change in after.changes(since: before) { problem("describe has an effect: \(change)") }
    if !after.descriptors.subtracting(before.descriptors).isEmpty { problem("describe opens a descriptor") }
    if !after.threads.subtracting(before.threads).isEmpty { problem("describe starts a thread") }
    doing("open")
    try plugin.open()
    doing("describe after open")
    if descriptionBytes(plugin.entry) != first { problem("describe returns a different answer after open") }
  }

  func capabilities() throws(CheckInterruption) {
    let plugin = try plugin()
    doing("open")
    try plugin.open()
    for kind in PluginOffer.Kind.allCases where plugin.description.offers.contains(where: { $0.kind == kind }) {
      doing("capability of \(kind.capability)")
      guard let table = plugin.functions(of: kind) else { continue }
      let least = PENSTOCK_FUNCTIONS_SIZE_1_0
      guard let functions = ContractTable.copy(table, penstock_functions.self, least: least) else {
        problem(
          "struct_size of the functions of \(kind.capability) is \(ContractTable.size(table)), at least \(least) is "
            + "needed"
        )
        continue
      }
      for (name, isMissing) in [
        ("create", functions.create == nil), ("start", functions.start == nil), ("stop", functions.stop == nil),
        ("destroy", functions.destroy == nil),
      ]
      where isMissing {
        problem("the functions of \(kind.capability) have no \(name)")
      }
      if plugin.functions(of: kind) != table { problem("capability returns a different table the second time") }
    }
    doing("capability of \(PENSTOCK_INSTANTS)")
    if let table = plugin.capability(PENSTOCK_INSTANTS) {
      let least = PENSTOCK_INSTANTS_SIZE_1_1
      if let instants = ContractTable.copy(table, penstock_instants.self, least: least) {
        if instants.between == nil { problem("the table of \(PENSTOCK_INSTANTS) has no between") }
      } else {
        problem(
          "struct_size of the table of \(PENSTOCK_INSTANTS) is \(ContractTable.size(table)), at least \(least) is needed"
        )
      }
    }
    for id in ["", "penstock", "penstock.operation/2", "penstock.operation/10", "example.unknown/1"] {
      doing("capability of '\(id)'")
      if plugin.capability(id) != nil { problem("capability returns something for the unknown '\(id)'") }
    }
  }
}
