import CLibSQLite

/// The little of SQLite that making a database needs.
final class SQLiteFile {
  private var handle: OpaquePointer?

  /// Opens a database that is there; one that is read only while others may write to it.
  init(path: String, isReadOnly: Bool = false) throws {
    guard sqlite3_open_v2(path, &handle, isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, nil) == SQLITE_OK
    else {
      close()
      throw BenchError("cannot open \(path)")
    }
    sqlite3_busy_timeout(handle, 10_000)
  }

  func close() {
    sqlite3_close(handle)
    handle = nil
  }

  /// Runs statements that return nothing.
  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// The first column of the rows of a query, which has numbers.
  func numbers(_ sql: String) throws -> [Double] { try texts(sql).map { Double($0) ?? 0 } }

  /// The first column of the rows of a query.
  func texts(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return texts
      default: throw failure(sql)
      }
    }
  }

  private func failure(_ sql: String) -> BenchError {
    BenchError("\(String(cString: sqlite3_errmsg(handle))) in: \(sql)")
  }
}
