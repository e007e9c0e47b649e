import PluginABI

/// Reads tables of the other side of the contract, of any minor version.
enum ContractTable {
  /// As much of a table as both sides know, and zeros for the rest.
  ///
  /// - Parameters:
  ///   - table: The other side's table, which begins with its own size.
  ///   - type: This side's struct.
  ///   - least: What version 1.0 had of it in bytes.
  /// - Returns: Nil where the table is shorter than that.
  static func copy<Table>(_ table: UnsafeRawPointer, _ type: Table.Type, least: Int32) -> Table? {
    withUnsafeTemporaryAllocation(of: Table.self, capacity: 1) { memory in
      guard let copy = memory.baseAddress,
        penstock_table_copy(copy, MemoryLayout<Table>.size, Int(least), table) != 0
      else { return nil }
      return copy.move()
    }
  }

  /// The size that a table of the other side says it has.
  static func size(_ table: UnsafeRawPointer) -> Int { Int(table.loadUnaligned(as: UInt32.self)) }

  /// A table that is kept for as long as the process lives, as loaded plugins are.
  static func keep<Table>(_ table: Table) -> UnsafePointer<Table> {
    let kept = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    kept.initialize(to: table)
    return UnsafePointer(kept)
  }
}
