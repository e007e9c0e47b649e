import CLibSQLite

/// A prepared statement. Used only where its `Database` may be.
public final class Statement {
  /// SQLite's statement, which lives as long as this.
  public let sqliteStatement: OpaquePointer
  // Keeps the connection from being closed for good while there is a statement.
  private let connection: Connection

  /// Prepares the first statement of `sql`. `rest` becomes what follows it.
  init?(_ sql: UnsafePointer<CChar>, _ connection: Connection, isKept: Bool, rest: inout UnsafePointer<CChar>?) throws {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection.pointer, sql, -1, flags, &statement, &rest)
    guard code == SQLITE_OK else {
      throw DatabaseError(code, on: connection.pointer, sql: String(cString: sql))
    }
    // Nothing but white space and comments.
    guard let statement else { return nil }
    sqliteStatement = statement
    self.connection = connection
  }

  deinit { sqlite3_finalize(sqliteStatement) }

  /// Its text.
  public var sql: String { String(cString: sqlite3_sql(sqliteStatement)) }

  /// The names of its columns.
  public var columnNames: [String] {
    (0..<sqlite3_column_count(sqliteStatement)).map { index in
      sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
    }
  }

  /// How many parameters it has.
  var parameterCount: Int { Int(sqlite3_bind_parameter_count(sqliteStatement)) }

  /// Whether somebody is in the middle of its rows.
  var isBusy: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

  /// Runs the statement to its end; rows it may have are not read.
  ///
  /// - Throws: `DatabaseError`, also where there are more or fewer arguments than parameters.
  public func execute(arguments: StatementArguments = []) throws {
    try begin(arguments)
    defer { reset() }
    while try step() {}
  }

  /// Begins anew, with these values.
  func begin(_ arguments: StatementArguments) throws {
    reset()
    guard arguments.values.count == parameterCount else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "wrong number of statement arguments: \(arguments.values.count), not \(parameterCount)", sql: sql)
    }
    var index: Int32 = 1
    for value in arguments.values {
      let code = value.bind(sqliteStatement, index)
      guard code == SQLITE_OK else { throw failure(code) }
      index += 1
    }
  }

  /// Goes to the next row; false after the last one.
  func step() throws -> Bool {
    switch sqlite3_step(sqliteStatement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let failure = failure(code)
      reset()
      throw failure
    }
  }

  /// Lets go of the row and of what was read for it. What went wrong was thrown already.
  func reset() { sqlite3_reset(sqliteStatement) }

  private func failure(_ code: Int32) -> DatabaseError { DatabaseError(code, on: connection.pointer, sql: sql) }
}
