import Dispatch

/// A connection that runs one closure at a time, in the order of the calls.
///
/// A closure must not use the queue that is running it: it would deadlock.
public final class DatabaseQueue: Sendable {
  /// The path that the database was opened with.
  public let path: String
  private let queue: DispatchQueue
  // Touched only on the queue.
  nonisolated(unsafe) private let database: Database

  /// Opens the database at `path`, and creates it if it does not exist and the connection may write.
  ///
  /// - Parameters:
  ///   - path: A path, or a URI that begins with `file:`.
  ///   - configuration: The settings of the connection.
  /// - Throws: `DatabaseError`, also if the file is not a database.
  public init(path: String, configuration: Configuration = Configuration()) throws {
    self.path = path
    queue = DispatchQueue(label: configuration.label)
    database = try Database(path: path, configuration: configuration)
  }

  /// Calls `body` with the connection, outside of a transaction.
  public func unsafeRead<T>(_ body: (Database) throws -> T) rethrows -> T { try queue.sync { try body(database) } }

  /// Calls `body` with the connection, outside of a transaction.
  public func writeWithoutTransaction<T>(_ body: (Database) throws -> T) rethrows -> T {
    try queue.sync { try body(database) }
  }

  /// Enqueues a call of `body` with the connection, outside of a transaction, and returns immediately.
  public func asyncWriteWithoutTransaction(_ body: @escaping @Sendable (Database) -> Void) {
    queue.async { [self] in body(database) }
  }

  /// Calls `body` in a transaction that is rolled back: all its reads see the same snapshot.
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.sync { try inSnapshot(body) }
  }

  /// Must be called on the queue.
  private func inSnapshot<T>(_ body: (Database) throws -> T) throws -> T {
    try database.beginTransaction(.deferred)
    defer { try? database.rollback() }
    return try body(database)
  }

  /// Enqueues a call of `body` as in ``read(_:)``, then calls `completion` with its result. Both run on the queue's thread.
  public func asyncRead<T>(
    _ body: @escaping @Sendable (Database) throws -> T, completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    queue.async { [self] in completion(Result { try inSnapshot(body) }) }
  }

  /// Overwrites another database with a copy of this one, page by page.
  public func backup(to target: DatabaseQueue) throws {
    try queue.sync { try target.queue.sync { try database.backup(to: target.database) } }
  }

  /// Calls `body` in a transaction, which is rolled back if it throws.
  public func write<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.sync {
      try database.beginTransaction(.immediate)
      do {
        let result = try body(database)
        try database.commit()
        return result
      } catch {
        try? database.rollback()
        throw error
      }
    }
  }

  /// Closes the connection. Any later use throws.
  public func close() throws { queue.sync { database.close() } }
}
