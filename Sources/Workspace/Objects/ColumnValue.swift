/// How SQLite stores a value.
public enum ColumnStorage: String, Sendable, Hashable {
  /// 64-bit integers.
  case integer = "INTEGER"
  /// 64-bit floating-point numbers.
  case real = "REAL"
  /// UTF-8.
  case text = "TEXT"
  /// Bytes.
  case blob = "BLOB"
}

/// The error for a value that cannot be stored, such as NaN.
public struct UnsuitableValue: Error, Sendable, Hashable {
  /// The reason, as the end of a sentence.
  public let reason: String

  /// Creates the error.
  public init(reason: String) {
    self.reason = reason
  }
}

/// A type whose values fit in one column.
///
/// Integers, `Bool`, `Double`, `Float`, `String`, `[UInt8]`, ``Instant``, `Date` and optionals of them conform. An enumeration with raw values conforms by
/// naming the protocol: `enum State: String, ColumnValue`. Texts are compared by their UTF-8 bytes, here and in every query.
public protocol ColumnValue: Sendable {
  /// How SQLite stores the values.
  static var storage: ColumnStorage { get }
  /// Whether a value may be missing. True only for optionals.
  static var isOptional: Bool { get }
  /// Returns the value to store in the column.
  func columnValue() throws(UnsuitableValue) -> SQLValue
  /// Returns the value that was stored in the column, or nil if it is not of this type.
  static func from(_ value: SQLValue) -> Self?

  // The following do the same without an intermediate `SQLValue`. A custom type need not implement them.

  /// Writes the value to a row.
  func write(to row: RowWriter) throws(UnsuitableValue)
  /// Returns the value in a column of a row, or nil if it is not of this type.
  static func read(_ row: RowReader, _ column: Int32) -> Self?
  /// Returns whether the values are identical to SQLite.
  static func areSame(_ left: Self, _ right: Self) -> Bool
}

extension ColumnValue {
  /// False, except for optionals.
  public static var isOptional: Bool { false }
  /// Writes the result of `columnValue()`.
  public func write(to row: RowWriter) throws(UnsuitableValue) { row.write(try columnValue()) }
  /// Passes the stored value to `from(_:)`.
  public static func read(_ row: RowReader, _ column: Int32) -> Self? { from(row.value(column)) }
  /// Compares the results of `columnValue()`.
  public static func areSame(_ left: Self, _ right: Self) -> Bool {
    guard let left = try? left.columnValue(), let right = try? right.columnValue() else { return false }
    return left.isSame(as: right)
  }
}

/// A column value that is never missing, and can therefore be part of a key.
public protocol KeyValue: ColumnValue, Hashable {}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// The storage of the raw value.
  @inlinable public static var storage: ColumnStorage { RawValue.storage }
  /// The raw value.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue { try rawValue.columnValue() }
  /// The case with that raw value.
  @inlinable public static func from(_ value: SQLValue) -> Self? { RawValue.from(value).flatMap(Self.init(rawValue:)) }
  /// Writes the raw value.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) { try rawValue.write(to: row) }
  /// The case with the stored raw value.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> Self? {
    guard let raw = RawValue.read(row, column) else { return nil }
    return Self(rawValue: raw)
  }
  /// Compares the raw values.
  @inlinable public static func areSame(_ left: Self, _ right: Self) -> Bool {
    RawValue.areSame(left.rawValue, right.rawValue)
  }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The storage of the wrapped value.
  @inlinable public static var storage: ColumnStorage { Wrapped.storage }
  /// True.
  @inlinable public static var isOptional: Bool { true }
  /// NULL, or the value.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue {
    guard let self else { return .null }
    return try self.columnValue()
  }
  /// Nil for NULL.
  @inlinable public static func from(_ value: SQLValue) -> Self? {
    if case .null = value { return .some(nil) }
    return Wrapped.from(value).map { .some($0) }
  }
  /// Writes NULL, or the value.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) {
    if let self { try self.write(to: row) } else { row.writeNull() }
  }
  /// Nil for NULL.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> Self? {
    if row.isNull(column) { return .some(nil) }
    return Wrapped.read(row, column).map { .some($0) }
  }
  /// Whether both are missing, or identical.
  @inlinable public static func areSame(_ left: Self, _ right: Self) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped.areSame(left, right)
    default: false
    }
  }
}
