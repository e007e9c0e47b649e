/// One value of a row, as SQLite has it.
public enum SQLValue: Sendable, Hashable {
  /// No value.
  case null
  /// A whole number.
  case int(Int64)
  /// A floating-point number.
  case double(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
