import CLibSQLite
import Glibc
import SQLite

/// Takes the values of a statement's parameters, one after the other.
///
/// Texts and bytes are copied into a piece of memory that is used again for each row: SQLite's own copies are an allocation each. Used by
/// one thread at a time.
public final class RowWriter {
  /// What is larger than this is left to SQLite to copy.
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

  /// Begins with the first parameter. What was written before must not be needed any more.
  func begin(_ statement: OpaquePointer) {
    pointer = statement
    index = 0
    code = SQLITE_OK
    used = 0
  }

  /// Throws what SQLite has said to a value, if to any.
  func end() throws {
    guard code != SQLITE_OK, let pointer else { return }
    throw DatabaseError(
      resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer))))
  }

  /// The next value is missing.
  public func writeNull() {
    index += 1
    note(sqlite3_bind_null(pointer, index))
  }

  /// The next value is a whole number.
  public func write(_ number: Int64) {
    index += 1
    note(sqlite3_bind_int64(pointer, index, number))
  }

  /// The next value is a floating-point number.
  public func write(_ number: Double) {
    index += 1
    note(sqlite3_bind_double(pointer, index, number))
  }

  /// The next value is a text.
  public func write(_ text: String) {
    index += 1
    // Every text here has its bytes in one piece; `withUTF8` would take a copy of the text, and count the reference in it.
    if text.utf8.withContiguousStorageIfAvailable({ write(text: $0) }) == nil {
      var text = text
      text.withUTF8 { write(text: $0) }
    }
  }

  private func write(text bytes: UnsafeBufferPointer<UInt8>) {
    if let kept = keep(UnsafeRawBufferPointer(bytes)) {
      // Without a destructor SQLite takes the memory as it is.
      note(sqlite3_bind_text(pointer, index, kept, Int32(bytes.count), nil))
    } else {
      bytes.withMemoryRebound(to: CChar.self) {
        note(penstock_sqlite3_bind_text64(pointer, index, $0.baseAddress, UInt64($0.count)))
      }
    }
  }

  /// The next value is bytes.
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

  /// A copy that lasts until the statement has run; nil where the bytes are too many for that.
  private func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
    guard bytes.count <= Self.largest && used + bytes.count <= Self.room else { return nil }
    let place = memory + used
    if let start = bytes.baseAddress { memcpy(place, start, bytes.count) }
    used += bytes.count
    return place
  }

  /// The next value is this one.
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
