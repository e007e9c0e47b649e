import CLibSQLite
import Glibc

/// A value as stored in a database.
public struct DatabaseValue: Sendable, Hashable, CustomStringConvertible {
  /// The five storage classes of SQLite.
  public enum Storage: Sendable, Hashable {
    case null
    case int64(Int64)
    case double(Double)
    case string(String)
    case blob([UInt8])
  }

  /// The storage class and the value.
  public let storage: Storage

  /// Creates a value.
  public init(_ storage: Storage) { self.storage = storage }

  /// The value NULL.
  public static let null = DatabaseValue(.null)

  /// Whether the value is NULL.
  public var isNull: Bool { storage == .null }

  /// The value in approximate SQL notation, for people to read.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }

  /// Reads a column of a statement's current row.
  init(_ statement: OpaquePointer, _ index: Int32) {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: self.init(.int64(sqlite3_column_int64(statement, index)))
    case SQLITE_FLOAT: self.init(.double(sqlite3_column_double(statement, index)))
    case SQLITE_TEXT: self.init(.string(String.column(statement, index)))
    case SQLITE_BLOB: self.init(.blob([UInt8].column(statement, index)))
    default: self = .null
    }
  }

  /// Binds a copy of the value to a parameter, numbered from 1, and returns SQLite's result code.
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    switch storage {
    case .null: return sqlite3_bind_null(statement, index)
    case .int64(let number): return sqlite3_bind_int64(statement, index, number)
    case .double(let number): return sqlite3_bind_double(statement, index, number)
    case .string(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          // An empty string may have no address, and a null address would bind NULL.
          guard let address = text.baseAddress else { return penstock_sqlite3_bind_text64(statement, index, "", 0) }
          return penstock_sqlite3_bind_text64(statement, index, address, UInt64(text.count))
        }
      }
    case .blob(let bytes):
      return bytes.isEmpty
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : penstock_sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count))
    }
  }

  // MARK: SQLite's conversions

  /// The value as SQLite converts it to an integer: a text yields the digits that it begins with, NULL yields 0.
  var integer: Int64 {
    switch storage {
    case .null: 0
    case .int64(let number): number
    case .double(let number): number.isNaN ? 0 : number >= 0x1p63 ? .max : number < -0x1p63 ? .min : Int64(number)
    case .string(let text): strtoll(text, nil, 10)
    case .blob(let bytes): strtoll(String(decoding: bytes, as: UTF8.self), nil, 10)
    }
  }

  /// The value as SQLite converts it to a floating-point number.
  var number: Double {
    switch storage {
    case .null: 0
    case .int64(let number): Double(number)
    case .double(let number): number
    case .string(let text): strtod(text, nil)
    case .blob(let bytes): strtod(String(decoding: bytes, as: UTF8.self), nil)
    }
  }

  /// The value as SQLite converts it to text, except that the digits of a fraction may differ. NULL yields the empty string.
  var text: String {
    switch storage {
    case .null: ""
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .string(let text): text
    case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}
