import CLibSQLite
import Glibc
import SQLite

/// The writer's view of the write-ahead log, and the only code that checkpoints it.
///
/// Used only on the writer connection's queue, which makes the unchecked conformance sound.
final class WriteAheadLog: @unchecked Sendable {
  /// The number of pages in the log, as of the last commit.
  private(set) var frames: Int32 = 0
  /// The length from which a checkpoint is retried, after one that a reader prevented from emptying the log.
  private var due: Int32 = 0
  /// Whether everything committed on this connection is on disk.
  private var isOnDisk = false
  private let files: [String]
  /// The identities of the files at the first commit on this connection; empty before, when they may not exist.
  private var identities: [FileIdentity] = []

  /// Creates the log state for the database at a path.
  init(of database: String) { files = [database + "-wal", database + "-shm"] }

  /// Makes SQLite report the length of the log after each commit. This replaces its automatic checkpoint.
  func observe(_ connection: OpaquePointer) {
    sqlite3_wal_hook(
      connection,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        let log = Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
        // Fewer pages than before: the log has restarted, so everything in it was checkpointed.
        if frames < log.frames { log.due = 0 }
        log.frames = frames
        log.isOnDisk = false
        if log.identities.isEmpty { log.identities = log.files.compactMap(FileIdentity.init) }
        return SQLITE_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Whether the files of the log were deleted or replaced: later connections create a new log and do not find what this one commits. One `stat` per file.
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

  /// Checkpoints as much as readers permit, without waiting for them.
  func checkpoint(_ db: Database, every limit: Int32) {
    guard let connection = db.sqliteConnection else { return }
    sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    // While a reader needs the log, it cannot restart; retrying at each commit would only cost `fsync`s.
    due = frames + limit
  }

  /// Waits until everything committed on this connection is on disk. The first time, SQLite also syncs the directory entries of the database and the log,
  /// whatever process has created them.
  func flushToDisk(_ db: Database) throws {
    guard let connection = db.sqliteConnection, !isOnDisk else { return }
    let code = penstock_sqlite3_flush_log(connection)
    guard code == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log could not be written to the disk")
    }
    isOnDisk = true
  }

  /// Checkpoints everything and empties the log, unless there are readers: it does not wait for them.
  func truncate(_ db: Database, _ patience: BusyPatience) {
    guard let connection = db.sqliteConnection else { return }
    // The connection's own busy handler remains, with which later transactions wait for other processes.
    patience.isOver = true
    defer { patience.isOver = false }
    if sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK { frames = 0 }
  }
}

/// The identity of the file at a path.
private struct FileIdentity: Equatable {
  let device: dev_t
  let number: ino_t

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, number) = (status.st_dev, status.st_ino)
  }
}
