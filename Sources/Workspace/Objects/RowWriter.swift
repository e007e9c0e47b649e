import CLibSQLite
import Glibc
import SQLite

/// Binds values to a statement's parameters, one after the other.
///
/// Texts and bytes are copied to memory that is reused for each row, since each of SQLite's own copies is an allocation. Used by one thread at a time.
public final class RowWriter {
  /// Larger values are copied by SQLite.
  private static let largest = 4096
  private static let room = 64 << 10

  private var pointer: OpaquePointer?
  private var index: Int32 = 0
  private var code = SQLITE_OK
  private let memory = UnsafeMutablePointer<CChar>.allocate(capacity: RowWriter.room)
  private var used = 0

  init() {}

  deinit {
    memory.deallocate()
  }

  /// Starts with the first parameter. Values written before must no longer be needed.
  func begin(_ statement: OpaquePointer) {
    pointer = statement
    index = 0
    code = SQLITE_OK
    used = 0
  }

  /// Throws the first error that SQLite has reported for a value, if any.
  func end() throws {
    guard code != SQLITE_OK, let pointer else { return }
    throw DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer))))
  }

  /// Binds NULL to the next parameter.
  public func writeNull() {
    index += 1
    note(sqlite3_bind_null(pointer, index))
  }

  /// Binds an integer to the next parameter.
  public func write(_ number: Int64) {
    index += 1
    note(sqlite3_bind_int64(pointer, index, number))
  }

  /// Binds a floating-point number to the next parameter.
  public func write(_ number: Double) {
    index += 1
    note(sqlite3_bind_double(pointer, index, number))
  }

  /// Binds a text to the next parameter.
  public func write(_ text: String) {
    index += 1
    // Almost every text is contiguous; `withUTF8` would copy it and count its reference.
    if text.utf8.withContiguousStorageIfAvailable({ write(text: $0) }) == nil {
      var text = text
      text.withUTF8 { write(text: $0) }
    }
  }

  private func write(text bytes: UnsafeBufferPointer<UInt8>) {
    if let kept = keep(UnsafeRawBufferPointer(bytes)) {
      // Without a destructor, SQLite uses the memory in place.
      note(sqlite3_bind_text(pointer, index, kept, Int32(bytes.count), nil))
    } else {
      bytes.withMemoryRebound(to: CChar.self) {
        note(penstock_sqlite3_bind_text64(pointer, index, $0.baseAddress, UInt64($0.count)))
      }
    }
  }

  /// Binds bytes to the next parameter.
  public func write(_ bytes: [UInt8]) {
    index += 1
    bytes.withUnsafeBytes { bytes in
      if bytes.isEmpty {
        note(sqlite3_bind_zeroblob(pointer, index, 0))
      } else if let kept = keep(bytes) {
        note(sqlite3_bind_blob(pointer, index, kept, Int32(bytes.count), nil))
      } else {
        note(penstock_sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count)))
      }
    }
  }

  /// Returns a copy that lasts until the statement has run; nil if there are too many bytes.
  private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
    guard bytes.count <= Self.largest && used + bytes.count <= Self.room else { return nil }
    let place = memory + used
    if let start = bytes.baseAddress { memcpy(place, start, bytes.count) }
    used += bytes.count
    return place
  }

  /// Binds a value to the next parameter.
  public func write(_ value: SQLValue) {
    switch value {
    case .null: writeNull()
    case .int(let number): write(number)
    case .double(let number): write(number)
    case .text(let text): write(text)
    case .blob(let bytes): write(bytes)
    }
  }

  private func note(_ result: Int32) {
    if result != SQLITE_OK && code == SQLITE_OK { code = result }
  }
}
