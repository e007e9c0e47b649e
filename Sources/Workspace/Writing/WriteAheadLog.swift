import CLibSQLite
import Glibc
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
  private let files: [String]
  /// The files as they were at the first commit on this connection; empty before it, when there may be none yet.
  private var identities: [FileIdentity] = []

  /// Creates what knows of the log of the database at a path.
  init(of database: String) { files = [database + "-wal", database + "-shm"] }

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
        if log.identities.isEmpty { log.identities = log.files.compactMap(FileIdentity.init) }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether the files of the log have been removed or replaced: what this connection commits is then not found by the next one that is opened, which makes a log of
  /// its own. One `stat` for each.
  var isGone: Bool {
    identities.count == files.count
      && zip(files, identities).contains { path, identity in
        guard let found = FileIdentity(path) else { return errno == ENOENT }
        return found != identity
      }
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

/// Which file a path leads to.
private struct FileIdentity: Equatable {
  let device: dev_t
  let number: ino_t

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }
}
