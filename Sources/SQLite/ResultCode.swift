import CLibSQLite

/// A result code of SQLite, as in <https://sqlite.org/rescode.html>.
public struct ResultCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The number, extended or primary.
  public let rawValue: Int32

  /// The code of that number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The code without what extends it: `SQLITE_CONSTRAINT` of `SQLITE_CONSTRAINT_UNIQUE`.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// The number with SQLite's words for it.
  public var description: String { "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))" }

  /// The statement is wrong, or what it asks for is not there.
  public static let SQLITE_ERROR = ResultCode(rawValue: CLibSQLite.SQLITE_ERROR)
  /// Another connection is in the way.
  public static let SQLITE_BUSY = ResultCode(rawValue: CLibSQLite.SQLITE_BUSY)
  /// The database may not be written.
  public static let SQLITE_READONLY = ResultCode(rawValue: CLibSQLite.SQLITE_READONLY)
  /// The operating system reported an error.
  public static let SQLITE_IOERR = ResultCode(rawValue: CLibSQLite.SQLITE_IOERR)
  /// The file is damaged.
  public static let SQLITE_CORRUPT = ResultCode(rawValue: CLibSQLite.SQLITE_CORRUPT)
  /// The file cannot be opened.
  public static let SQLITE_CANTOPEN = ResultCode(rawValue: CLibSQLite.SQLITE_CANTOPEN)
  /// A value is too large.
  public static let SQLITE_TOOBIG = ResultCode(rawValue: CLibSQLite.SQLITE_TOOBIG)
  /// A value is of the wrong kind.
  public static let SQLITE_MISMATCH = ResultCode(rawValue: CLibSQLite.SQLITE_MISMATCH)
  /// There is no such parameter.
  public static let SQLITE_RANGE = ResultCode(rawValue: CLibSQLite.SQLITE_RANGE)
  /// A constraint does not hold.
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT)
  /// The interface was used wrongly.
  public static let SQLITE_MISUSE = ResultCode(rawValue: CLibSQLite.SQLITE_MISUSE)
  /// The file is not a database.
  public static let SQLITE_NOTADB = ResultCode(rawValue: CLibSQLite.SQLITE_NOTADB)
  // Macros that are computed, and therefore not imported.
  /// The key is taken.
  public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 6 << 8)
  /// A value that must be unique is taken.
  public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 8 << 8)
  /// The number of the row is taken.
  public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: CLibSQLite.SQLITE_CONSTRAINT | 10 << 8)
}

/// What SQLite refused to do, or could not.
public struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The code with what extends it.
  public let extendedResultCode: ResultCode
  /// SQLite's message; nil where there is none.
  public let message: String?
  /// The statement; nil where it is not known.
  public let sql: String?

  /// The code without what extends it.
  public var resultCode: ResultCode { extendedResultCode.primary }

  /// An error of that code.
  public init(resultCode: ResultCode, message: String? = nil, sql: String? = nil) {
    extendedResultCode = resultCode
    self.message = message
    self.sql = sql
  }

  /// What the connection says of its latest failure, which had this code.
  init(_ code: Int32, on connection: OpaquePointer?, sql: String? = nil) {
    self.init(
      resultCode: ResultCode(rawValue: code), message: connection.map { String(cString: sqlite3_errmsg($0)) }, sql: sql)
  }

  /// The code, the message and the statement.
  public var description: String {
    "SQLite error \(resultCode.rawValue): \(message ?? String(cString: sqlite3_errstr(extendedResultCode.rawValue)))"
      + (sql.map { " - while executing `\($0)`" } ?? "")
  }
}
