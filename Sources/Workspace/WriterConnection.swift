import CLibSQLite
import GRDB
import Synchronization

/// The one connection of a workspace object that writes and checkpoints.
///
/// Invariant: everything here runs on the connection's serial queue, one thing at a time; a transaction holds the write lock
/// shared from before `BEGIN` until after `COMMIT`, and a checkpoint holds it exclusively.
final class WriterConnection: Sendable {
  /// The log is written back into the database when it is longer than this. 4 MiB take a few milliseconds to write back.
  private static let checkpointFrames: Int32 = 4 << 20 / 4096
  /// When the log is longer than this, the snapshots that keep it from beginning anew are ended: 64 MiB.
  private static let longestFrames: Int32 = 64 << 20 / 4096
  /// At close, a log shorter than this is left for the next process: writing it back would cost a small command two `fsync`s.
  private static let closingFrames: Int32 = 256 << 10 / 4096

  private let queue: DatabaseQueue
  private let lock: WriteLock
  private let log: WriteAheadLog
  private let version = Mutex<Int?>(nil)
  private let longLog = Mutex<(@Sendable () -> Void)?>(nil)

  init(files: WorkspaceFiles) throws {
    lock = try WriteLock(path: files.lock)
    queue = try DatabaseQueue(path: files.database, configuration: ConnectionSettings.writer())
    log = WriteAheadLog(due: Self.checkpointFrames)
    queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      log.observe(connection)
    }
  }

  /// Makes the file a workspace of the schema's version.
  func prepare(_ upgrade: SchemaUpgrade) throws {
    try queue.writeWithoutTransaction { db in
      // Changing the journal mode needs the file for oneself, and SQLite does not wait for that.
      try lock.lockExclusive()
      defer { lock.unlock() }
      // Refuse before anything is changed.
      guard try !upgrade.isCurrent(db) else { return }
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try transaction(db) { try upgrade.migrate($0) }
    }
  }

  /// Lets `body` prepare statements, outside of a transaction.
  func prepare<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction(body)
  }

  func write<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.writeWithoutTransaction { try locked($0, body) }
  }

  func asyncWrite<T>(
    _ body: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    queue.asyncWriteWithoutTransaction { db in
      completion(Result { try self.locked(db, body) })
    }
  }

  func close() {
    queue.writeWithoutTransaction { db in
      guard log.frames >= Self.closingFrames, lock.tryLockExclusive() else { return }
      defer { lock.unlock() }
      log.truncate(db)
    }
    try? queue.close()
  }

  /// As ``close()``; besides, the log is written back whatever its length, and its files are removed if nobody else is using them.
  func closeForGood() {
    queue.writeWithoutTransaction { db in
      guard (try? lock.lockExclusive()) != nil else { return }
      log.truncate(db)
      if let connection = db.sqliteConnection { _ = penstock_sqlite3_checkpoint_on_close(connection) }
    }
    try? queue.close()
    lock.unlock()
  }

  /// Returns when everything has run that was begun before.
  func drain() {
    queue.writeWithoutTransaction { _ in }
  }

  /// Has `body` called after a commit that leaves the log longer than it should be. [the connection's queue]
  func whenLogIsLong(_ body: @escaping @Sendable () -> Void) {
    longLog.withLock { $0 = body }
  }

  /// Whether another connection has committed since the last time that this was asked; true the first time.
  func hasForeignChanges() -> Bool {
    queue.writeWithoutTransaction { hasForeignChanges($0) }
  }

  func hasForeignChanges(_ db: Database) -> Bool {
    guard let found = try? Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) else { return false }
    return version.withLock { version in
      defer { version = found }
      return version != found
    }
  }

  private func locked<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    let result: T
    do {
      try lock.lockShared()
      defer { lock.unlock() }
      result = try transaction(db, body)
    }
    if log.frames >= Self.longestFrames { longLog.withLock { $0 }?() }
    if log.isDue(every: Self.checkpointFrames), lock.tryLockExclusive() {
      log.checkpoint(db, every: Self.checkpointFrames)
      lock.unlock()
    }
    return result
  }

  private func transaction<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    try db.beginTransaction(.immediate)
    do {
      let result = try body(db)
      try db.commit()
      return result
    } catch {
      let exhaustion = WorkspaceError.exhaustion(error, on: db, path: queue.path)
      // SQLite has already rolled back after some errors (a full disk); then this one has nothing to do.
      try? db.rollback()
      throw exhaustion ?? error
    }
  }
}
