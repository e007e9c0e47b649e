import CLibSQLite
import Dispatch
import Glibc
import SQLite
import Synchronization

/// The only connection of a workspace object that writes and checkpoints.
///
/// Invariant: everything here runs on the connection's serial queue, one thing at a time; a transaction holds the write lock shared from before `BEGIN`
/// until after `COMMIT`, and a checkpoint holds it exclusively.
final class WriterConnection: Sendable {
  /// The log is checkpointed when it is longer than this. Checkpointing 4 MiB takes a few milliseconds.
  private static let checkpointFrames: Int32 = 4 << 20 / 4096
  /// When the log is longer than this, the snapshots that prevent it from restarting are ended: 64 MiB.
  private static let longestFrames: Int32 = 64 << 20 / 4096
  /// A log shorter than this, 1 MiB, is not worth the `fsync`s in idle time, and is left for the next process at close: reading it takes half a
  /// millisecond, emptying it eight.
  private static let shortFrames: Int32 = 1 << 20 / 4096

  /// A struct, because a bare closure is wrapped in another one each time it is read from a `Mutex`, until the nesting overflows the stack.
  private struct LongLog {
    var body: (@Sendable () -> Void)?
  }

  // Before the queue, so that the statements are released before the connection is closed.
  private let statements = ConnectionStatements()
  private let queue: DatabaseQueue
  private let lock: WriteLock
  /// Shows other processes that this one is alive.
  private let host: HostLock
  private let log: WriteAheadLog
  private let version = Mutex<Int?>(nil)
  /// The number of accesses running or waiting.
  private let busy = Atomic(0)
  /// The thread that runs the code of a transaction, or 0. A thread can only ever find its own number here.
  private let owner = Atomic<UInt>(0)
  private let patience: BusyPatience
  private let longLog = Mutex(LongLog())

  init(files: WorkspaceFiles) throws {
    patience = BusyPatience(seconds: files.patience)
    lock = try WriteLock(directory: files.directory, patience: patience)
    host = try HostLock(directory: files.directory)
    queue = try DatabaseQueue(path: files.database, configuration: ConnectionSettings.writer(patience))
    log = WriteAheadLog(of: files.database)
    queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      log.observe(connection)
    }
  }

  /// Upgrades the file to the schema's version.
  func prepare(_ upgrade: SchemaUpgrade) throws {
    try access { db in
      // Changing the journal mode needs exclusive access to the file, and SQLite does not wait for that.
      try lock.lockExclusive()
      defer { lock.unlock() }
      // Refuse before anything is changed.
      guard try !upgrade.isCurrent(db) else { return }
      try undoing(db) { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      try transaction(db) { try upgrade.migrate($0) }
    }
  }

  /// Lets `body` prepare statements, outside of a transaction.
  func prepare<T>(_ body: (Database) throws -> T) throws -> T {
    try access(body)
  }

  /// Runs `body` in a read transaction.
  func read<T>(_ body: (Database) throws -> T) throws -> T {
    busy.wrappingAdd(1, ordering: .acquiringAndReleasing)
    defer { busy.wrappingSubtract(1, ordering: .releasing) }
    return try queue.read { db in
      owner.store(UInt(pthread_self()), ordering: .relaxed)
      defer { owner.store(0, ordering: .relaxed) }
      return try body(db)
    }
  }

  func write<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOutside()
    return try access { db in try locked(db) { try transaction(db, body) } }
  }

  func asyncWrite<T>(
    _ body: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    asyncAccess { db in
      try self.locked(db) { try self.transaction(db, body) }
    } completion: {
      completion($0)
    }
  }

  /// Runs a transaction of changes on the queue's own thread.
  func asyncChange<T>(
    _ body: @escaping @Sendable (Database, ConnectionStatements) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    asyncAccess { db in
      try self.locked(db) {
        try self.statements.begin(db)
        return try self.change(db, body)
      }
    } completion: {
      completion($0)
    }
  }

  /// Runs a transaction of changes on the caller's thread if it can begin immediately; returns nil if something else is being written by this or another
  /// process. Switching threads takes longer than a small transaction. `committed` is called with the result before the next commit can happen.
  func changeNow(
    _ body: (Database, ConnectionStatements) throws -> (CommitRecord, UInt64), committed: (CommitRecord, UInt64) -> Void
  ) -> Result<Void, any Error>? {
    guard busy.compareExchange(expected: 0, desired: 1, ordering: .acquiringAndReleasing).exchanged else { return nil }
    defer { busy.wrappingSubtract(1, ordering: .releasing) }
    var result: Result<Void, any Error>?
    queue.writeWithoutTransaction { db in
      guard lock.tryLockShared() else { return }
      do {
        defer { lock.unlock() }
        guard try beginNow(db) else { return }
        let (record, number) = try change(db, body)
        committed(record, number)
        result = .success(())
      } catch {
        result = .failure(error)
        return
      }
      shortenLogNext()
    }
    return result
  }

  /// Begins a transaction, or returns false if another process is writing.
  private func beginNow(_ db: Database) throws -> Bool {
    patience.isOver = true
    defer { patience.isOver = false }
    do {
      try statements.begin(db)
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      return false
    }
  }

  func close() {
    if isInside {
      // The transaction must end first.
      DispatchQueue.global().async { self.close() }
      return
    }
    access { db in
      statements.clear()
      shortenLogAtEnd(db)
    }
    try? queue.close()
  }

  /// Leaves the file as ``close()`` does, with the connection still open.
  func settle() {
    access(shortenLogAtEnd)
  }

  /// Checkpoints the log while no caller waits, rather than at the end, when one does.
  func shortenLogAtLeisure() {
    access { shortenLog($0, every: Self.shortFrames) }
  }

  private func shortenLogAtEnd(_ db: Database) {
    guard log.frames >= Self.shortFrames, lock.tryLockExclusive() else { return }
    defer { lock.unlock() }
    log.truncate(db, patience)
  }

  /// Like ``close()``, but checkpoints the log whatever its length, and deletes its files unless they are in use.
  func closeForGood() {
    access { db in
      statements.clear()
      guard (try? lock.lockExclusive()) != nil else { return }
      log.truncate(db, patience)
      if let connection = db.sqliteConnection { _ = penstock_sqlite3_checkpoint_on_close(connection) }
    }
    try? queue.close()
    lock.unlock()
  }

  /// Rewrites the whole file, and empties the log.
  func vacuum() throws {
    try checkOutside()
    try queue.writeWithoutTransaction { db in
      try lock.lockExclusive()
      defer { lock.unlock() }
      // The copy is created in a temporary database, which in memory would need as much as the file is long.
      try db.execute(sql: "PRAGMA temp_store = FILE")
      defer { try? db.execute(sql: "PRAGMA temp_store = MEMORY") }
      try db.execute(sql: "VACUUM")
      log.truncate(db, patience)
    }
  }

  /// Checks that the files with the committed data are still where the next process looks for them: three `stat`s.
  ///
  /// - Throws: ``WorkspaceError/moved(path:)``.
  func requirePlace() throws {
    try checkOutside()
    try access { db in
      // SQLite itself deletes the log when it closes the last connection.
      guard let connection = db.sqliteConnection else { return }
      if log.isGone { throw WorkspaceError.moved(path: queue.path) }
      guard penstock_sqlite3_has_moved(connection) != 0 else { return }
      // SQLite considers a file that it cannot access as moved, but one in a directory that may not be entered is still in place.
      var status = stat()
      guard stat(queue.path, &status) == 0 || errno == ENOENT || errno == ENOTDIR else { return }
      throw WorkspaceError.moved(path: queue.path)
    }
  }

  /// Waits until everything committed on this connection is on disk.
  func flushToDisk() throws {
    try checkOutside()
    try access { db in
      do {
        try log.flushToDisk(db)
      } catch {
        throw WorkspaceError.exhaustion(error, on: db, path: queue.path) ?? error
      }
    }
  }

  /// How long a transaction waits for other processes before it fails.
  var longestWait: Duration {
    get { patience.length }
    set { patience.length = newValue }
  }

  /// Returns once everything begun before has run.
  func drain() {
    access { _ in }
  }

  /// Sets the closure to call after a commit that leaves the log too long. [the connection's queue]
  func whenLogIsLong(_ body: @escaping @Sendable () -> Void) {
    longLog.withLock { $0.body = body }
  }

  /// Returns whether another connection has committed since the last call; true the first time.
  func hasForeignChanges() -> Bool {
    access { hasForeignChanges($0) }
  }

  func hasForeignChanges(_ db: Database) -> Bool {
    guard let found = try? Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) else { return false }
    return version.withLock { version in
      defer { version = found }
      return version != found
    }
  }

  private func access<T>(_ body: (Database) throws -> T) rethrows -> T {
    busy.wrappingAdd(1, ordering: .acquiringAndReleasing)
    defer { busy.wrappingSubtract(1, ordering: .releasing) }
    return try queue.writeWithoutTransaction(body)
  }

  private func asyncAccess<T>(
    _ body: @escaping @Sendable (Database) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    busy.wrappingAdd(1, ordering: .acquiringAndReleasing)
    queue.asyncWriteWithoutTransaction { db in
      let result = Result { try body(db) }
      self.busy.wrappingSubtract(1, ordering: .releasing)
      completion(result)
    }
  }

  /// Runs the body of a transaction, including its begin and end, with the lock held shared.
  private func locked<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    let result: T
    do {
      try lock.lockShared()
      defer { lock.unlock() }
      result = try body()
    }
    shortenLog(db)
    return result
  }

  /// Like ``shortenLog(_:)``, but on the queue's own thread: the caller of the transaction, which is durable without it, does not wait for it. The next
  /// access to the queue does, so the log does not grow longer.
  private func shortenLogNext() {
    guard log.isDue(every: Self.checkpointFrames) || log.frames >= Self.longestFrames else { return }
    queue.asyncWriteWithoutTransaction { [self] db in shortenLog(db) }
  }

  private func shortenLog(_ db: Database, every limit: Int32 = checkpointFrames) {
    if log.frames >= Self.longestFrames { longLog.withLock { $0.body }?() }
    if log.isDue(every: limit), lock.tryLockExclusive() {
      log.checkpoint(db, every: Self.checkpointFrames)
      lock.unlock()
    }
  }

  /// Completes a transaction that has begun.
  private func change<T>(_ db: Database, _ body: (Database, ConnectionStatements) throws -> T) throws -> T {
    try undoing(db) {
      let result = try body(db, statements)
      try statements.commit(db)
      return result
    }
  }

  private func transaction<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    try db.beginTransaction(.immediate)
    return try undoing(db) {
      let result = try body(db)
      try db.commit()
      return result
    }
  }

  /// Whether the caller is the code of a transaction on this connection, which would deadlock.
  var isInside: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

  private func checkOutside() throws(WorkspaceError) {
    if isInside { throw .locked(path: queue.path) }
  }

  private func undoing<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    do {
      return try body()
    } catch {
      let exhaustion = WorkspaceError.exhaustion(error, on: db, path: queue.path)
      // SQLite has already rolled back after some errors (a full disk); then this does nothing.
      try? db.rollback()
      throw exhaustion ?? error
    }
  }
}
