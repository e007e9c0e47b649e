import CLibSQLite

/// A SQLite result code, as listed in <https://sqlite.org/rescode.html>.
public struct ResultCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The number of the code, extended or primary.
  public let rawValue: Int32

  /// Creates a code from its number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The primary code: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// The number and SQLite's description of it.
  public var description: String { "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))" }

  /// The statement is invalid, or refers to something that does not exist.
  public static let SQLITE_ERROR = ResultCode(rawValue: CLibSQLite.SQLITE_ERROR)
  /// Another connection holds a lock.
  public static let SQLITE_BUSY = ResultCode(rawValue: CLibSQLite.SQLITE_BUSY)
  /// The database is read-only.
  public static let SQLITE_READONLY = ResultCode(rawValue: CLibSQLite.SQLITE_READONLY)
  /// The operating system reported an error.
  public static let SQLITE_IOERR = ResultCode(rawValue: CLibSQLite.SQLITE_IOERR)
  /// The file is damaged.
  public static let SQLITE_CORRUPT = ResultCode(rawValue: CLibSQLite.SQLITE_CORRUPT)
  /// The file cannot be opened.
  public static let SQLITE_CANTOPEN = ResultCode(rawValue: CLibSQLite.SQLITE_CANTOPEN)
  /// A value is too large.
  public static let SQLITE_TOOBIG = ResultCode(rawValue: CLibSQLite.SQLITE_TOOBIG)
  /// A value has the wrong type.
  public static let SQLITE_MISMATCH = ResultCode(rawValue: CLibSQLite.SQLITE_MISMATCH)
  /// There is no such parameter.
  public static let SQLITE_RANGE = ResultCode(rawValue: CLibSQLite.SQLITE_RANGE)
  /// A constraint is violated.
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT)
  /// SQLite's interface was misused.
  public static let SQLITE_MISUSE = ResultCode(rawValue: CLibSQLite.SQLITE_MISUSE)
  /// The file is not a database.
  public static let SQLITE_NOTADB = ResultCode(rawValue: CLibSQLite.SQLITE_NOTADB)
  // Swift does not import these macros because they are computed.
  /// The primary key is already in use.
  public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 6 << 8)
  /// A value of a unique column is already in use.
  public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 8 << 8)
  /// The row ID is already in use.
  public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 10 << 8)
}

/// An error reported by SQLite.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The extended result code.
  public let extendedResultCode: ResultCode
  /// SQLite's message; nil if there is none.
  public let message: String?
  /// The SQL of the statement; nil if it is not known.
  public let sql: String?

  /// The primary result code.
  public var resultCode: ResultCode { extendedResultCode.primary }

  /// Creates an error with this code.
  public init(resultCode: ResultCode, message: String? = nil, sql: String? = nil) {
    extendedResultCode = resultCode
    self.message = message
    self.sql = sql
  }

  /// Creates an error from a code that the connection has just returned, with its message.
  init(_ code: Int32, on connection: OpaquePointer?, sql: String? = nil) {
    self.init(
      resultCode: ResultCode(rawValue: code), message: connection.map { String(cString: sqlite3_errmsg($0)) }, sql: sql)
  }

  /// The code, the message and the SQL.
  public var description: String {
    "SQLite error \(resultCode.rawValue): \(message ?? String(cString: sqlite3_errstr(extendedResultCode.rawValue)))"
      + (sql.map { " - while executing `\($0)`" } ?? "")
  }
}
