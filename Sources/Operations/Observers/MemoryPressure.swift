/// Levels of memory pressure.
public struct MemoryPressure: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// One bit for each level.
  public let rawValue: UInt8

  /// The levels whose bits are set.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Memory is plentiful (again).
  public static let normal = MemoryPressure(rawValue: 1)
  /// Work is slowed down for want of memory.
  public static let warning = MemoryPressure(rawValue: 2)
  /// Work stands still for want of memory.
  public static let critical = MemoryPressure(rawValue: 4)

  /// The levels at which what nobody uses is given up, where nothing else is said: warning and critical.
  public static let defaultEvictable: MemoryPressure = [.warning, .critical]

  /// The names of the levels, joined by "and"; "none" for none.
  public var description: String {
    let names = [(MemoryPressure.normal, "normal"), (.warning, "warning"), (.critical, "critical")]
      .filter { contains($0.0) }.map { $0.1 }
    return names.isEmpty ? "none" : names.joined(separator: " and ")
  }
}
