import CLibSQLite

/// A SQLite connection, closed when its last reference is released: that of its `Database`, or of a statement that is still held.
final class Connection {
  let pointer: OpaquePointer

  init(path: String, configuration: Configuration) throws {
    var flags = configuration.readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    // Each connection is used by one thread at a time.
    flags |= SQLITE_OPEN_NOMUTEX
    if path.hasPrefix("file:") { flags |= SQLITE_OPEN_URI }
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard code == SQLITE_OK, let pointer else {
      let error = DatabaseError(pointer.map { sqlite3_extended_errcode($0) } ?? code, on: pointer)
      sqlite3_close_v2(pointer)
      throw error
    }
    self.pointer = pointer
    sqlite3_extended_result_codes(pointer, 1)
    // As SQLite recommends for new applications: "a" is an identifier, never a string.
    penstock_sqlite3_no_double_quoted_strings(pointer)
  }

  deinit { sqlite3_close_v2(pointer) }
}
