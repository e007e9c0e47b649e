import CLibSQLite
import SQLite

/// A prepared statement whose values are bound one by one, without boxing them. For writing many rows fast.
///
/// ```swift
/// var insert = try BoundStatement("INSERT INTO point (x, y) VALUES (?, ?)", in: db)
/// for point in points {
///   insert.bind(point.x)
///   insert.bind(point.y)
///   try insert.run()
/// }
/// ```
/// Bind every parameter, in order, before each run. In a loop like this, `StatementArguments` would cost more than the insert itself: an array, and a box
/// for each value. Use a statement only inside the closure that received its `Database`.
public struct BoundStatement {
  // The connection caches the statement, and this keeps it alive.
  private let statement: Statement
  private let pointer: OpaquePointer
  private var index: Int32 = 0

  /// Prepares the statement, or takes it from the connection's cache. The lookup hashes the SQL, so do it once for many rows.
  public init(_ sql: String, in db: Database) throws {
    statement = try db.cachedStatement(sql: sql)
    pointer = statement.sqliteStatement
  }

  /// Returns `VALUES (?, ?, ?)`, with a parameter for each of `count` columns. After a table name without columns, SQLite rejects any other number than
  /// the table's columns.
  package static func values(_ count: Int) -> String {
    var text = "VALUES (?"
    for _ in 1..<count { text += ", ?" }
    return text + ")"
  }

  /// Binds the next parameter to an integer.
  public mutating func bind(_ value: Int64) {
    index += 1
    sqlite3_bind_int64(pointer, index, value)
  }

  /// Binds the next parameter to an integer.
  public mutating func bind(_ value: Int) {
    bind(Int64(value))
  }

  /// Binds the next parameter to a text.
  public mutating func bind(_ value: String) {
    index += 1
    var value = value
    value.withUTF8 { bytes in
      // An empty string may have no address, and a null address would bind NULL.
      bytes.withMemoryRebound(to: CChar.self) { text in
        if let address = text.baseAddress {
          _ = penstock_sqlite3_bind_text(pointer, index, address, Int32(text.count))
        } else {
          _ = penstock_sqlite3_bind_text(pointer, index, "", 0)
        }
      }
    }
  }

  /// Binds the next parameter to NULL.
  public mutating func bindNull() {
    index += 1
    sqlite3_bind_null(pointer, index)
  }

  /// Binds the next parameter to an integer, or to NULL.
  public mutating func bind(_ value: Int64?) {
    if let value { bind(value) } else { bindNull() }
  }

  /// Binds the next parameter to an integer, or to NULL.
  public mutating func bind(_ value: Int?) {
    if let value { bind(Int64(value)) } else { bindNull() }
  }

  /// Binds the next parameter to a text, or to NULL.
  public mutating func bind(_ value: String?) {
    if let value { bind(value) } else { bindNull() }
  }

  /// Runs the statement with the bound values, and starts again with the first parameter. Rows it may return are not read.
  public mutating func run() throws {
    // A parameter that is not bound would keep the value of the previous row.
    assert(index == sqlite3_bind_parameter_count(pointer), "\(index) of the parameters of a statement are bound")
    index = 0
    let code = sqlite3_step(pointer)
    // The reset reports the same error again; the code is that of the step, whose message must be read before the reset.
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
      sqlite3_reset(pointer)
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }
    sqlite3_reset(pointer)
  }
}
