import Glibc
import PluginABI

/// An offer of a loaded plugin, with its functions.
final class LoadedOffer: @unchecked Sendable {
  // @unchecked: the functions are constants, and plugins are never unloaded.

  let offer: PluginOffer
  /// The offer's index in the description: the low bits of its instances' ids.
  let index: Int
  /// The id in UTF-8.
  let id: [UInt8]
  /// `operation 'echo' of plugin 'sample'`, for crash reports.
  let subject: UnsafePointer<CChar>
  let create:
    @convention(c) (penstock_id, penstock_text, penstock_text, UnsafeMutablePointer<UnsafeMutableRawPointer?>?)
      -> penstock_status
  let start: @convention(c) (UnsafeMutableRawPointer?, penstock_text) -> Void
  let stop: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void
  let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// Creates the offer with the functions that the plugin provides for its kind.
  ///
  /// - Throws: `malformed` if a function is missing or the table is smaller than in version 1.0.
  init(
    _ offer: PluginOffer, index: Int, functions: UnsafeRawPointer, file: String, plugin: String
  ) throws(PluginError) {
    func malformed(_ what: String) -> PluginError {
      PluginError(
        .malformed,
        "plugin '\(file)' answers '\(offer.kind.capability)' with a table \(what); "
          + "it must begin with its own size and have all of create, start, stop and destroy")
    }
    let least = PENSTOCK_FUNCTIONS_SIZE_1_0
    guard let table = ContractTable.copy(functions, penstock_functions.self, least: least) else {
      throw malformed("of \(ContractTable.size(functions)) bytes instead of at least \(least)")
    }
    guard let create = table.create else { throw malformed("without 'create'") }
    guard let start = table.start else { throw malformed("without 'start'") }
    guard let stop = table.stop else { throw malformed("without 'stop'") }
    guard let destroy = table.destroy else { throw malformed("without 'destroy'") }
    self.offer = offer
    self.index = index
    id = Array(offer.id.utf8)
    subject = .permanent("\(offer.kind.rawValue) '\(offer.id)' of plugin '\(plugin)'")
    self.create = create
    self.start = start
    self.stop = stop
    self.destroy = destroy
  }
}

extension UnsafePointer<CChar> {
  /// Returns the text, NUL-terminated, in memory that is never freed, as loaded plugins never are.
  static func permanent(_ text: String) -> Self { strdup(text).map { Self($0) } ?? outOfMemory }

  private static var outOfMemory: Self {
    UnsafeRawPointer(("a plugin" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension PluginOffer.Kind {
  /// The id of the capability that provides offers of this kind.
  var capability: String {
    switch self {
    case .operation: PENSTOCK_OPERATION
    case .controller: PENSTOCK_CONTROLLER
    case .specification: PENSTOCK_SPECIFICATION
    }
  }
}
