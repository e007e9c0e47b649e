import CLibSQLite
import Glibc

/// A value as a database holds it.
public struct DatabaseValue: Sendable, Hashable, CustomStringConvertible {
  /// SQLite's five kinds of values.
  public enum Storage: Sendable, Hashable {
    case null
    case int64(Int64)
    case double(Double)
    case string(String)
    case blob([UInt8])
  }

  /// The kind, with the value.
  public let storage: Storage

  /// A value of that kind.
  public init(_ storage: Storage) { self.storage = storage }

  /// The absence of a value.
  public static let null = DatabaseValue(.null)

  /// Whether there is no value.
  public var isNull: Bool { storage == .null }

  /// The value as SQL would have it, roughly: for people.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }

  /// The value of a column of the row that a statement stands on.
  init(_ statement: OpaquePointer, _ index: Int32) {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: self.init(.int64(sqlite3_column_int64(statement, index)))
    case SQLITE_FLOAT: self.init(.double(sqlite3_column_double(statement, index)))
    case SQLITE_TEXT: self.init(.string(String.column(statement, index)))
    case SQLITE_BLOB: self.init(.blob([UInt8].column(statement, index)))
    default: self = .null
    }
  }

  /// Binds the value to a parameter; the number is SQLite's, from 1. The bytes are copied.
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

  /// The value as SQLite would make an integer of it: of a text the digits that it begins with, of nothing 0.
  var integer: Int64 {
    switch storage {
    case .null: 0
    case .int64(let number): number
    case .double(let number): number.isNaN ? 0 : number >= 0x1p63 ? .max : number < -0x1p63 ? .min : Int64(number)
    case .string(let text): strtoll(text, nil, 10)
    case .blob(let bytes): strtoll(String(decoding: bytes, as: UTF8.self), nil, 10)
    }
  }

  /// The value as SQLite would make a number of it.
  var number: Double {
    switch storage {
    case .null: 0
    case .int64(let number): Double(number)
    case .double(let number): number
    case .string(let text): strtod(text, nil)
    case .blob(let bytes): strtod(String(decoding: bytes, as: UTF8.self), nil)
    }
  }

  /// The value as SQLite would make a text of it, but for the digits of a fraction; of nothing the empty one.
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
