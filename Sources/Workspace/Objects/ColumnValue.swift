/// The ways in which SQLite keeps a value.
public enum ColumnStorage: String, Sendable, Hashable {
  /// 64-bit whole numbers.
  case integer = "INTEGER"
  /// 64-bit floating-point numbers.
  case real = "REAL"
  /// UTF-8.
  case text = "TEXT"
  /// Bytes.
  case blob = "BLOB"
}

/// A value that cannot be kept, such as a number that is no number.
public struct UnsuitableValue: Error, Sendable, Hashable {
  /// Why, as the end of a sentence.
  public let reason: String

  /// Creates the error.
  public init(reason: String) {
    self.reason = reason
  }
}

/// A type of which one value fills one column.
///
/// Whole numbers, `Bool`, `Double`, `Float`, `String`, `[UInt8]`, ``Instant``, `Date` and optionals of them are. An enumeration with raw values
/// becomes one by naming the protocol: `enum State: String, ColumnValue`. Texts are compared by their UTF-8 bytes, here and in
/// every query.
public protocol ColumnValue: Sendable {
  /// How SQLite keeps it.
  static var storage: ColumnStorage { get }
  /// Whether a value may be missing. Only optionals are so.
  static var isOptional: Bool { get }
  /// What is put into the column.
  func columnValue() throws(UnsuitableValue) -> SQLValue
  /// The value that was put into the column, or nil if that is none of this type.
  static func from(_ value: SQLValue) -> Self?

  // What follows does the same without an `SQLValue` in between. A type of your own need not have it.

  /// Puts the value into a row.
  func write(to row: RowWriter) throws(UnsuitableValue)
  /// The value in a column of a row, or nil if that is none of this type.
  static func read(_ row: RowReader, _ column: Int32) -> Self?
  /// Whether SQLite has no way to tell the values apart.
  static func areSame(_ left: Self, _ right: Self) -> Bool
}

extension ColumnValue {
  /// False but for optionals.
  public static var isOptional: Bool { false }
  /// Writes what `columnValue()` returns.
  public func write(to row: RowWriter) throws(UnsuitableValue) { row.write(try columnValue()) }
  /// Gives `from(_:)` what is there.
  public static func read(_ row: RowReader, _ column: Int32) -> Self? { from(row.value(column)) }
  /// Compares what `columnValue()` returns.
  public static func areSame(_ left: Self, _ right: Self) -> Bool {
    guard let left = try? left.columnValue(), let right = try? right.columnValue() else { return false }
    return left.isSame(as: right)
  }
}

/// A column value that is never missing, and can therefore be part of a key.
public protocol KeyValue: ColumnValue, Hashable {}

extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
  /// That of the raw value.
  @inlinable public static var storage: ColumnStorage { RawValue.storage }
  /// The raw value.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue { try rawValue.columnValue() }
  /// The case with that raw value.
  @inlinable public static func from(_ value: SQLValue) -> Self? { RawValue.from(value).flatMap(Self.init(rawValue:)) }
  /// Writes the raw value.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) { try rawValue.write(to: row) }
  /// The case with the raw value that is there.
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
  /// That of the value.
  @inlinable public static var storage: ColumnStorage { Wrapped.storage }
  /// True.
  @inlinable public static var isOptional: Bool { true }
  /// NULL, or the value.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue {
    guard let self else { return .null }
    return try self.columnValue()
  }
  /// Nil from NULL.
  @inlinable public static func from(_ value: SQLValue) -> Self? {
    if case .null = value { return .some(nil) }
    return Wrapped.from(value).map { .some($0) }
  }
  /// Writes NULL, or the value.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) {
    if let self { try self.write(to: row) } else { row.writeNull() }
  }
  /// Nil from NULL.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> Self? {
    if row.isNull(column) { return .some(nil) }
    return Wrapped.read(row, column).map { .some($0) }
  }
  /// Whether both are missing, or the same.
  @inlinable public static func areSame(_ left: Self, _ right: Self) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped.areSame(left, right)
    default: false
    }
  }
}
