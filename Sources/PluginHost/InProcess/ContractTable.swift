import PluginABI

/// Reads the other side's tables of the contract, whatever their minor version.
enum ContractTable {
  /// Returns the part of a table that both sides know, with the rest zeroed.
  ///
  /// - Parameters:
  ///   - table: The other side's table, which begins with its own size.
  ///   - type: This side's struct.
  ///   - least: The table's size in version 1.0, in bytes.
  /// - Returns: The copy, or nil if the table is shorter than that.
  static func copy<Table>(_ table: UnsafeRawPointer, _ type: Table.Type, least: Int32) -> Table? {
    withUnsafeTemporaryAllocation(of: Table.self, capacity: 1) { memory in
      guard let copy = memory.baseAddress,
        penstock_table_copy(copy, MemoryLayout<Table>.size, Int(least), table) != 0
      else { return nil }
      return copy.move()
    }
  }

  /// Returns the size that a table of the other side states.
  static func size(_ table: UnsafeRawPointer) -> Int { Int(table.loadUnaligned(as: UInt32.self)) }

  /// Returns a copy of a table that lives as long as the process, as loaded plugins do.
  static func keep<Table>(_ table: Table) -> UnsafePointer<Table> {
    let kept = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    kept.initialize(to: table)
    return UnsafePointer(kept)
  }
}
