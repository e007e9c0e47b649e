import CLibSQLite

/// A type that can be read from columns and bound to parameters.
public protocol DatabaseValueConvertible: Sendable {
  /// The value to store in a database.
  var databaseValue: DatabaseValue { get }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// Converts any value as SQLite does: NULL is 0, false or the empty text. It never traps, so a crafted file cannot crash the process.
  static func converted(_ value: DatabaseValue) -> Self

  /// Reads a column of a statement's current row, converted by SQLite.
  static func column(_ statement: OpaquePointer, _ index: Int32) -> Self
}

extension DatabaseValueConvertible where Self: FixedWidthInteger {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { DatabaseValue(.int64(Int64(clamping: self))) }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value.storage {
    case .int64(let number): Self(exactly: number)
    case .double(let number): Self(exactly: number)
    case .null, .string, .blob: nil
    }
  }

  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> Self { Self(clamping: value.integer) }

  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Self {
    Self(clamping: sqlite3_column_int64(statement, index))
  }
}

extension Int: DatabaseValueConvertible {}
extension Int32: DatabaseValueConvertible {}
extension Int64: DatabaseValueConvertible {}

extension Double: DatabaseValueConvertible {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { DatabaseValue(.double(self)) }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
    switch value.storage {
    case .int64(let number): Double(number)
    case .double(let number): number
    case .null, .string, .blob: nil
    }
  }

  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> Double { value.number }

  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Double {
    sqlite3_column_double(statement, index)
  }
}

extension Bool: DatabaseValueConvertible {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { DatabaseValue(.int64(self ? 1 : 0)) }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value.storage {
    case .int64(let number): number != 0
    case .double(let number): number != 0
    case .null, .string, .blob: nil
    }
  }

  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> Bool { value.integer != 0 }

  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> Bool {
    sqlite3_column_int64(statement, index) != 0
  }
}

extension String: DatabaseValueConvertible {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(self)) }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .string(let text): text
    case .blob(let bytes): String(validating: bytes, as: UTF8.self)
    case .null, .int64, .double: nil
    }
  }

  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> String { value.text }

  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> String {
    // Read the text first: SQLite may have to convert the value, and the byte count is that of the converted text.
    guard let text = sqlite3_column_text(statement, index) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }
}

extension [UInt8]: DatabaseValueConvertible {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(self)) }

  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> [UInt8]? {
    switch value.storage {
    case .blob(let bytes): bytes
    case .string(let text): Array(text.utf8)
    case .null, .int64, .double: nil
    }
  }

  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> [UInt8] {
    if case .blob(let bytes) = value.storage { bytes } else { Array(value.text.utf8) }
  }

  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(statement, index) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, index))))
  }
}

extension DatabaseValue: DatabaseValueConvertible {
  /// The value to store in a database.
  public var databaseValue: DatabaseValue { self }
  /// Returns the value if it is of this type or converts to it without loss; nil otherwise.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
  /// Converts the value as SQLite does.
  public static func converted(_ value: DatabaseValue) -> DatabaseValue { value }
  /// Reads a column, converted by SQLite.
  public static func column(_ statement: OpaquePointer, _ index: Int32) -> DatabaseValue {
    DatabaseValue(statement, index)
  }
}
