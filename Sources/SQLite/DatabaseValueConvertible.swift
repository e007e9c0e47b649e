import CLibSQLite

/// A type whose values stand in columns and for parameters.
public protocol DatabaseValueConvertible: Sendable {
  /// What a database holds of it.
  var databaseValue: DatabaseValue { get }

  /// The value, if it is of this type or can be without loss; nil otherwise.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// The value as SQLite converts it, whatever it is: nothing is 0, false or the empty text. So no file that somebody made up ends the process.
  static func converted(_ value: DatabaseValue) -> Self

  /// A column of the row that a statement stands on, converted by SQLite.
  static func column(_ statement: OpaquePointer, _ index: Int32) -> Self
}

extension DatabaseValueConvertible where Self: FixedWidthInteger {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { DatabaseValue(.int64(Int64(clamping: self))) }

  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value.storage {
    case .int64(let number): Self(exactly: number)
    case .double(let number): Self(exactly: number)
    case .null, .string, .blob: nil
    }
  }

  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> Self { Self(clamping: value.integer) }

  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Self {
    Self(clamping: sqlite3_column_int64(statement, index))
  }
}

extension Int: DatabaseValueConvertible {}
extension Int32: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}

extension Double: DatabaseValueConvertible {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
    switch value.storage {
    case .int64(let number): Double(number)
    case .double(let number): number
    case .null, .string, .blob: nil
    }
  }

  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> Double { value.number }

  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Double {
    sqlite3_column_double(statement, index)
  }
}

extension Bool: DatabaseValueConvertible {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value.storage {
    case .int64(let number): number != 0
    case .double(let number): number != 0
    case .null, .string, .blob: nil
    }
  }

  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> Bool { value.integer != 0 }

  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Bool {
    sqlite3_column_int64(statement, index) != 0
  }
}

extension String: DatabaseValueConvertible {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .string(let text): text
    case .blob(let bytes): String(validating: bytes, as: UTF8.self)
    case .null, .int64, .double: nil
    }
  }

  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> String { value.text }

  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> String {
    // The text first: it may have to be made, and the number of bytes is that of the text that was made.
    guard let text = sqlite3_column_text(statement, index) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
}

extension [UInt8]: DatabaseValueConvertible {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(self)) }

  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> [UInt8]? {
    switch value.storage {
    case .blob(let bytes): bytes
    case .string(let text): Array(text.utf8)
    case .null, .int64, .double: nil
    }
  }

  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> [UInt8] {
    if case .blob(let bytes) = value.storage { bytes } else { Array(value.text.utf8) }
  }

  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, index))))
  }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// What a database holds of it.
  public var databaseValue: DatabaseValue { self }
  /// The value, if it is of this type or can be without loss.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
  /// The value as SQLite converts it.
  public static func converted(_ value: DatabaseValue) -> DatabaseValue { value }
  /// A column as SQLite converts it.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> DatabaseValue {
    DatabaseValue(statement, index)
  }
}
