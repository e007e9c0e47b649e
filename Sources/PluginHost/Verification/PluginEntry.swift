import PluginABI

/// The numbers at the beginning of `penstock_plugin`, read from the file of a shared object without loading it.
public struct PluginEntry: Sendable, Hashable {
  /// The size of the whole struct as the plugin was compiled, in bytes.
  public let structSize: UInt32
  /// The version of the contract that the plugin was compiled with.
  public let abiMajor: UInt16
  /// The minor part of that version.
  public let abiMinor: UInt16
  /// The lowest minor version of a host that the plugin works with.
  public let abiMinorNeeded: UInt16

  /// The version as people write it: `1.0`.
  public var version: String { "\(abiMajor).\(abiMinor)" }

  /// Whether the plugin was compiled with a later minor version than this host's.
  public var isNewer: Bool { abiMajor == Self.hostMajor && abiMinor > Self.hostMinor }

  /// The version of the contract that this host implements.
  public static let hostVersion = "\(PENSTOCK_ABI_MAJOR).\(PENSTOCK_ABI_MINOR)"

  private static let hostMajor = UInt16(PENSTOCK_ABI_MAJOR)
  private static let hostMinor = UInt16(PENSTOCK_ABI_MINOR)
  /// The size of the struct in version 1.0; it is larger in later ones.
  private static let leastSize = UInt32(PENSTOCK_PLUGIN_ENTRY_SIZE_1_0)
}

extension PluginEntry {
  private static let symbol = "penstock_plugin"

  /// Reads the entry of `image`.
  ///
  /// - Throws: `no-plugin-entry`, `abi-mismatch` with both versions, `malformed-plugin` or `not-a-shared-object`.
  init(_ image: ELFImage) throws(Refusal) {
    let declaration = "declare it with 'PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = { … }'"
    guard let symbol = try ELFSymbol.find(Self.symbol, in: image), symbol.section != 0 else {
      throw Refusal(
        .noEntry, "it does not export '\(Self.symbol)', so it is not a plugin of Penstock", fix: declaration)
    }
    guard [1, 2, 10].contains(symbol.binding), symbol.visibility == 0 || symbol.visibility == 3 else {
      throw Refusal(.noEntry, "its '\(Self.symbol)' is hidden, so the host cannot find it", fix: declaration)
    }
    // Section numbers from 0xff00 on are reserved, for absolute values for example.
    guard symbol.kind == 1, symbol.section < 0xFF00 else {
      throw Refusal(
        .noEntry, "its '\(Self.symbol)' is \(symbol.kind == 2 ? "a function" : "not an ordinary variable")",
        fix: declaration)
    }
    guard symbol.size >= 12, image.isMapped(symbol.address, symbol.size), symbol.address % 8 == 0 else {
      throw Refusal(
        .malformed, "its '\(Self.symbol)' is too small or at an invalid address", fix: declaration)
    }
    guard let offset = image.offset(of: symbol.address, 12) else {
      throw Refusal(.malformed, "its '\(Self.symbol)' is not initialized", fix: declaration)
    }
    let table = try image.bytes.table(at: offset, count: 12, "'\(Self.symbol)'")
    structSize = table.u32(0)
    abiMajor = table.u16(4)
    abiMinor = table.u16(6)
    abiMinorNeeded = table.u16(8)
    try check(symbolSize: symbol.size)
  }

  private func check(symbolSize: UInt64) throws(Refusal) {
    guard abiMajor == Self.hostMajor else {
      throw Refusal(
        .versionMismatch,
        "it was built for version \(version) of the plugin contract, but this host supports \(Self.hostVersion)",
        fix: abiMajor > Self.hostMajor
          ? "update Penstock, or get the plugin for \(Self.hostMajor).x"
          : "get a newer plugin, or build it with the header of this Penstock")
    }
    guard abiMinorNeeded <= Self.hostMinor else {
      throw Refusal(
        .versionMismatch,
        "it needs at least version \(abiMajor).\(abiMinorNeeded) of the plugin contract, but this host supports \(Self.hostVersion)",
        fix: "update Penstock, or get an older version of the plugin")
    }
    guard structSize >= Self.leastSize, UInt64(structSize) <= symbolSize else {
      throw Refusal(
        .malformed,
        "its '\(Self.symbol)' claims \(structSize) bytes: version 1.0 has \(Self.leastSize), and the file contains \(symbolSize)",
        fix: "begin it with 'sizeof(penstock_plugin_entry)'")
    }
  }
}
