import CLibSQLite

/// A prepared statement. It may only be used where its `Database` may be used.
public final class Statement {
  /// The SQLite statement, which is valid as long as this object.
  public let sqliteStatement: OpaquePointer
  // Keeps the connection from being fully closed while a statement exists.
  private let connection: Connection

  /// Prepares the first statement of `sql`, and sets `rest` to the text after it. Nil if there is no statement.
  init?(_ sql: UnsafePointer<CChar>, _ connection: Connection, isKept: Bool, rest: inout UnsafePointer<CChar>?) throws {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(connection.pointer, sql, -1, flags, &statement, &rest)
    guard code == SQLITE_OK else {
      throw DatabaseError(code, on: connection.pointer, sql: String(cString: sql))
    }
    // There is only white space and comments.
    guard let statement else { return nil }
    sqliteStatement = statement
    self.connection = connection
  }

  deinit { sqlite3_finalize(sqliteStatement) }

  /// The SQL of the statement.
  public var sql: String { String(cString: sqlite3_sql(sqliteStatement)) }

  /// The names of the columns.
  public var columnNames: [String] {
    (0..<sqlite3_column_count(sqliteStatement)).map { index in
      sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
    }
  }

  /// The number of parameters.
  var parameterCount: Int { Int(sqlite3_bind_parameter_count(sqliteStatement)) }

  /// Whether the statement's rows are being read.
  var isBusy: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

  /// Runs the statement to completion and discards its rows.
  ///
  /// - Throws: `DatabaseError`, also if the number of arguments is not the number of parameters.
  public func execute(arguments: StatementArguments = []) throws {
    try begin(arguments)
    defer { reset() }
    while try step() {}
  }

  /// Resets the statement and binds the arguments.
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

  /// Advances to the next row. Returns false after the last one.
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

  /// Releases the current row and its locks. Ignores SQLite's result code: it repeats an error that was already thrown.
  func reset() { sqlite3_reset(sqliteStatement) }

  private func failure(_ code: Int32) -> DatabaseError { DatabaseError(code, on: connection.pointer, sql: sql) }
}
