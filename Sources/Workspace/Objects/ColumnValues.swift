import FoundationEssentials

extension ColumnValue where Self: FixedWidthInteger {
  /// An integer.
  @inlinable public static var storage: ColumnStorage { .integer }
  /// Fails for numbers greater than `Int64.max`, which SQLite cannot store.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue {
    guard let number = Int64(exactly: self) else {
      throw UnsuitableValue(reason: "\(self) is greater than \(Int64.max), the maximum of a column")
    }
    return .int(number)
  }
  /// Nil for a number that is too large for the type.
  @inlinable public static func from(_ value: SQLValue) -> Self? {
    guard case .int(let number) = value else { return nil }
    return Self(exactly: number)
  }
  /// Like `columnValue()`.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) {
    guard let number = Int64(exactly: self) else { return row.write(try columnValue()) }
    row.write(number)
  }
  /// Like `from(_:)`.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> Self? {
    guard let number = row.integer(column) else { return nil }
    return Self(exactly: number)
  }
  /// Whether the numbers are equal.
  @inlinable public static func areSame(_ left: Self, _ right: Self) -> Bool { left == right }
}

extension Int: KeyValue {}
extension Int8: KeyValue {}
extension Int16: KeyValue {}
extension Int32: KeyValue {}
extension Int64: KeyValue {}
extension UInt: KeyValue {}
extension UInt8: KeyValue {}
extension UInt16: KeyValue {}
extension UInt32: KeyValue {}
extension UInt64: KeyValue {}

extension Bool: KeyValue {
  /// An integer, 0 or 1.
  @inlinable public static var storage: ColumnStorage { .integer }
  /// 0 or 1.
  @inlinable public func columnValue() -> SQLValue { .int(self ? 1 : 0) }
  /// False for 0, true for 1.
  @inlinable public static func from(_ value: SQLValue) -> Bool? {
    switch value {
    case .int(0): false
    case .int(1): true
    default: nil
    }
  }
}

extension ColumnValue where Self: BinaryFloatingPoint {
  /// A floating-point number.
  @inlinable public static var storage: ColumnStorage { .real }
  /// Fails for NaN, which SQLite would store as NULL.
  @inlinable public func columnValue() throws(UnsuitableValue) -> SQLValue {
    guard !isNaN else { throw UnsuitableValue(reason: "NaN cannot be stored; use an optional field") }
    return .double(Double(self))
  }
  /// The number.
  @inlinable public static func from(_ value: SQLValue) -> Self? {
    guard case .double(let number) = value else { return nil }
    return Self(number)
  }
  /// Like `columnValue()`.
  @inlinable public func write(to row: RowWriter) throws(UnsuitableValue) {
    if isNaN { _ = try columnValue() }
    row.write(Double(self))
  }
  /// Like `from(_:)`.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> Self? { row.real(column).map { Self($0) } }
  /// Whether the numbers are equal.
  @inlinable public static func areSame(_ left: Self, _ right: Self) -> Bool { left == right }
}

extension Double: ColumnValue {}
extension Float: ColumnValue {}

extension String: KeyValue {
  /// A text.
  @inlinable public static var storage: ColumnStorage { .text }
  /// The text, with any characters.
  @inlinable public func columnValue() -> SQLValue { .text(self) }
  /// The text.
  @inlinable public static func from(_ value: SQLValue) -> String? {
    guard case .text(let text) = value else { return nil }
    return text
  }
  /// The text.
  @inlinable public func write(to row: RowWriter) { row.write(self) }
  /// The text.
  @inlinable public static func read(_ row: RowReader, _ column: Int32) -> String? { row.text(column) }
  /// Whether the texts have the same bytes.
  public static func areSame(_ left: String, _ right: String) -> Bool { left.hasSameBytes(as: right) }
}

extension Array: ColumnValue where Element == UInt8 {
  /// Bytes.
  public static var storage: ColumnStorage { .blob }
  /// The bytes.
  public func columnValue() -> SQLValue { .blob(self) }
  /// The bytes.
  public static func from(_ value: SQLValue) -> [UInt8]? {
    guard case .blob(let bytes) = value else { return nil }
    return bytes
  }
  /// The bytes.
  public func write(to row: RowWriter) { row.write(self) }
  /// The bytes.
  public static func read(_ row: RowReader, _ column: Int32) -> [UInt8]? { row.blob(column) }
  /// Whether the bytes are equal.
  public static func areSame(_ left: [UInt8], _ right: [UInt8]) -> Bool { left == right }
}

extension Date: KeyValue {
  /// Microseconds since 1970.
  public static var storage: ColumnStorage { .integer }
  /// Microseconds since 1970, rounded. Fails for a date more than 290,000 years away.
  public func columnValue() throws(UnsuitableValue) -> SQLValue {
    guard let microseconds = Int64(exactly: (timeIntervalSince1970 * 1_000_000).rounded()) else {
      throw UnsuitableValue(reason: "the date is too far away to be stored in microseconds")
    }
    return .int(microseconds)
  }
  /// The date with that many microseconds.
  public static func from(_ value: SQLValue) -> Date? {
    guard case .int(let microseconds) = value else { return nil }
    return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
