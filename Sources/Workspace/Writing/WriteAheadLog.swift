import CLibSQLite
import SQLite

/// What the writer knows of the write-ahead log, and the only code that writes it back.
///
/// Used on the writer connection's queue alone, which is what makes the unchecked conformance sound.
final class WriteAheadLog: @unchecked Sendable {
  /// The number of pages in the log, as of the last commit.
  private(set) var frames: Int32 = 0
  /// The length from which on it is tried again, after it was written back and somebody still needed it.
  private var due: Int32 = 0
  /// Whether everything that was committed on this connection is on the disk.
  private var isOnDisk = false

  /// Has SQLite report the length of the log after each commit. This takes the place of its automatic checkpoint.
  func observe(_ connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        let log = Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
        // Fewer pages than before: the log has started anew, so everything in it was written back.
        if frames < log.frames { log.due = 0 }
        log.frames = frames
        log.isOnDisk = false
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  func isDue(every limit: Int32) -> Bool {
    frames >= max(due, limit)
  }

  /// Writes back as much as readers permit, without waiting for them.
  func checkpoint(_ db: Database, every limit: Int32) {
    guard let connection = db.sqliteConnection else { return }
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    // While a reader needs the log it cannot start anew; trying again at each commit would only cost `fsync`s.
    due = frames + limit
  }

  /// Waits until everything that was committed on this connection is on the disk. The first time, SQLite does the same for the names in the directory, those of
  /// the database and of the log, whatever process has created them.
  func flushToDisk(_ db: Database) throws {
    guard let connection = db.sqliteConnection, !isOnDisk else { return }
    let code = penstock_sqlite3_flush_log(connection)
    guard code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log could not be written to the disk")
    }
    isOnDisk = true
  }

  /// Writes everything back and empties the log, unless somebody is reading: it does not wait for readers.
  func truncate(_ db: Database, _ patience: BusyPatience) {
    guard let connection = db.sqliteConnection else { return }
    // The connection's own handler stays, with which later transactions wait for other processes.
    patience.isOver = true
    defer { patience.isOver = false }
    if sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK { frames = 0 }
  }
}
