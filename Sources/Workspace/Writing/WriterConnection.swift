import CLibSQLite
import Dispatch
import Glibc
import SQLite
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
  /// A log shorter than this, 1 MiB, is not worth the `fsync`s while there is time left over, and at close is left for the next process: that one reads it
  /// in half a millisecond, and emptying it takes eight.
  private static let shortFrames: Int32 = 1 << 20 / 4096

  /// A struct: a bare closure is wrapped in another one each time that it is read out of a `Mutex`, until it is too deep for the stack.
  private struct LongLog {
    var body: (@Sendable () -> Void)?
  }

  // Before the queue, so that the statements are gone when the connection is closed.
  private let statements = ConnectionStatements()
  private let queue: DatabaseQueue
  private let lock: WriteLock
  /// Tells other processes that this one is alive.
  private let host: HostLock
  private let log: WriteAheadLog
  private let version = Mutex<Int?>(nil)
  /// How many accesses are under way or waiting.
  private let busy = Atomic(0)
  /// The thread that runs the code of a transaction, or 0. Only that thread itself can find its own number here.
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

  /// Makes the file a workspace of the schema's version.
  func prepare(_ upgrade: SchemaUpgrade) throws {
    try access { db in
      // Changing the journal mode needs the file for oneself, and SQLite does not wait for that.
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

  /// A transaction of changes, on the queue's own thread.
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

  /// A transaction of changes on the caller's thread, if it can begin at once; nil if something else is being written here or in another
  /// process. Going to another thread and back takes longer than a small transaction.
  /// `committed` is told of the result before anybody else can commit.
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
      // The transaction comes to its end first.
      DispatchQueue.global().async { self.close() }
      return
    }
    access { db in
      statements.clear()
      shortenLogAtEnd(db)
    }
    try? queue.close()
  }

  /// Leaves the file as ``close()`` does, and the connection open.
  func settle() {
    access(shortenLogAtEnd)
  }

  /// Writes the log back when nobody waits for what is written next, rather than at the end, when somebody does.
  func shortenLogAtLeisure() {
    access { shortenLog($0, every: Self.shortFrames) }
  }

  private func shortenLogAtEnd(_ db: Database) {
    guard log.frames >= Self.shortFrames, lock.tryLockExclusive() else { return }
    defer { lock.unlock() }
    log.truncate(db, patience)
  }

  /// As ``close()``; besides, the log is written back whatever its length, and its files are removed if nobody else is using them.
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

  /// Writes the whole file anew, and shortens the log to nothing.
  func vacuum() throws {
    try checkOutside()
    try queue.writeWithoutTransaction { db in
      try lock.lockExclusive()
      defer { lock.unlock() }
      // The copy is made in a temporary database, which would be as much memory as the file is long.
      try db.execute(sql: "PRAGMA temp_store = FILE")
      defer { try? db.execute(sql: "PRAGMA temp_store = MEMORY") }
      try db.execute(sql: "VACUUM")
      log.truncate(db, patience)
    }
  }

  /// Makes sure that what was committed is where the next one looks for it: three `stat`.
  ///
  /// - Throws: ``WorkspaceError/moved(path:)``.
  func requirePlace() throws {
    try checkOutside()
    try access { db in
      // SQLite removes the log itself when it closes the last connection.
      guard let connection = db.sqliteConnection else { return }
      if log.isGone { throw WorkspaceError.moved(path: queue.path) }
      guard penstock_sqlite3_has_moved(connection) != 0 else { return }
      // SQLite takes a file that it cannot look at for one that was moved: one in a directory that may not be entered is where it was.
      var status = stat()
      guard stat(queue.path, &status) == 0 || errno == ENOENT || errno == ENOTDIR else { return }
      throw WorkspaceError.moved(path: queue.path)
    }
  }

  /// Waits until everything that was committed on this connection is on the disk.
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

  /// Returns when everything has run that was begun before.
  func drain() {
    access { _ in }
  }

  /// Has `body` called after a commit that leaves the log longer than it should be. [the connection's queue]
  func whenLogIsLong(_ body: @escaping @Sendable () -> Void) {
    longLog.withLock { $0.body = body }
  }

  /// Whether another connection has committed since the last time that this was asked; true the first time.
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

  /// Runs what begins and ends a transaction, with the lock held shared.
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

  /// As ``shortenLog(_:)``, on the queue's own thread: whoever waits for the transaction, which is durable without it, does not wait for that as well. What
  /// comes next on the queue does, so the log gets no longer for it.
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

  /// The rest of a transaction that has begun.
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

  /// Whether the caller is the code of a transaction on this connection, which would wait for itself.
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
      // SQLite has already rolled back after some errors (a full disk); then this one has nothing to do.
      try? db.rollback()
      throw exhaustion ?? error
    }
  }
}
