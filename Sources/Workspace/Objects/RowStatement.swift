import CLibSQLite
import SQLite

/// A prepared statement and its values, stepped by hand: `StatementArguments` and `Row` would cost more than SQLite itself.
struct RowStatement {
  // Keeps the SQLite statement alive.
  private let statement: Statement
  let pointer: StatementPointer

  /// Prepares the statement. With `isOften`, the connection caches it; otherwise, as for SQL that depends on the number of its values, it does not.
  init(_ sql: String, in db: Database, isOften: Bool = true) throws {
    statement = isOften ? try db.cachedStatement(sql: sql) : try db.makeStatement(sql: sql)
    pointer = StatementPointer(address: statement.sqliteStatement)
  }

  var row: RowReader { pointer.row }
  func bind(_ values: [SQLValue]) throws { try pointer.bind(values) }
  func step() throws -> Bool { try pointer.step() }
  func run() throws { try pointer.run() }
  func reset() { pointer.reset() }
}

/// A prepared statement without ownership, so that passing it around counts no references.
struct StatementPointer {
  let address: OpaquePointer

  var row: RowReader { RowReader(pointer: address) }

  /// Binds values from the first parameter on.
  func bind(_ values: [SQLValue]) throws {
    var index: Int32 = 1
    for value in values {
      let code =
        switch value {
        case .null: sqlite3_bind_null(address, index)
        case .int(let number): sqlite3_bind_int64(address, index, number)
        case .double(let number): sqlite3_bind_double(address, index, number)
        case .text(var text):
          text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
              // An empty string may have no address, and a null address would bind NULL.
              penstock_sqlite3_bind_text64(address, index, $0.baseAddress ?? emptyText, UInt64($0.count))
            }
          }
        case .blob(let bytes):
          bytes.withUnsafeBytes { bytes in
            bytes.isEmpty
              ? sqlite3_bind_zeroblob(address, index, 0)
              : penstock_sqlite3_bind_blob64(address, index, bytes.baseAddress, UInt64(bytes.count))
          }
        }
      guard code == SQLITE_OK else { throw failure(code) }
      index += 1
    }
  }

  /// Advances to the next row. Returns false after the last one, or after running a statement without rows.
  func step() throws -> Bool {
    switch sqlite3_step(address) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  /// Runs a statement that has no rows.
  func run() throws {
    defer { reset() }
    _ = try step()
  }

  /// Must follow each use, successful or not: a statement that is not reset keeps its snapshot.
  func reset() {
    sqlite3_reset(address)
  }

  private func failure(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(address))))
  }
}

// A constant that is never freed.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.initialize(to: 0)
  return UnsafePointer(text)
}()
