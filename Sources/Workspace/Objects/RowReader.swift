import CLibSQLite

/// The current row of a statement. Valid only while it is current.
public struct RowReader {
  // Values are read as `sqlite3_value`s, which costs one call per column instead of three. SQLite allows this as long as no other thread uses the
  // connection, and none does.
  let pointer: OpaquePointer

  /// Returns whether the column is NULL.
  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  /// Returns the integer in the column; nil if it is not an integer.
  public func integer(_ column: Int32) -> Int64? {
    let value = sqlite3_column_value(pointer, column)
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// Returns the number in the column; nil if it is not a number. SQLite stores integral values as integers, and `RETURNING` exposes that.
  public func real(_ column: Int32) -> Double? {
    let value = sqlite3_column_value(pointer, column)
    return switch sqlite3_value_type(value) {
    case SQLITE_FLOAT, SQLITE_INTEGER: sqlite3_value_double(value)
    default: nil
    }
  }

  /// Returns the text in the column; nil if it is not a text.
  public func text(_ column: Int32) -> String? {
    let value = sqlite3_column_value(pointer, column)
    guard sqlite3_value_type(value) == SQLITE_TEXT, let text = sqlite3_value_text(value) else { return nil }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
  }

  /// Returns the bytes in the column; nil if it is not a blob.
  public func blob(_ column: Int32) -> [UInt8]? {
    let value = sqlite3_column_value(pointer, column)
    guard sqlite3_value_type(value) == SQLITE_BLOB else { return nil }
    let start = sqlite3_value_blob(value)
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
  }

  /// Returns the value in the column.
  public func value(_ column: Int32) -> SQLValue {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: .int(sqlite3_column_int64(pointer, column))
    case SQLITE_FLOAT: .double(sqlite3_column_double(pointer, column))
    case SQLITE_TEXT: text(column).map { .text($0) } ?? .null
    case SQLITE_BLOB: blob(column).map { .blob($0) } ?? .null
    default: .null
    }
  }
}
