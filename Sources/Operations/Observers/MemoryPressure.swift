/// Levels of memory pressure.
public struct MemoryPressure: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// A bit set with one bit for each level.
  public let rawValue: UInt8

  /// Creates the set of levels whose bits are set.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Memory is plentiful, or plentiful again.
  public static let normal = MemoryPressure(rawValue: 1)
  /// A shortage of memory is slowing work down.
  public static let warning = MemoryPressure(rawValue: 2)
  /// A shortage of memory has brought work to a halt.
  public static let critical = MemoryPressure(rawValue: 4)

  /// The levels at which unused stores are removed by default: warning and critical.
  public static let defaultEvictable: MemoryPressure = [.warning, .critical]

  /// The names of the levels, joined by "and"; "none" for none.
  public var description: String {
    let names = [(MemoryPressure.normal, "normal"), (.warning, "warning"), (.critical, "critical")]
      .filter { contains($0.0) }.map { $0.1 }
    return names.isEmpty ? "none" : names.joined(separator: " and ")
  }
}
