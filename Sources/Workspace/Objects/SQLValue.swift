/// A value of a row, in SQLite's representation.
public enum SQLValue: Sendable, Hashable {
  /// No value.
  case null
  /// An integer.
  case int(Int64)
  /// A floating-point number.
  case double(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
