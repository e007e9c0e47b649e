import Dispatch

/// A connection that is used by one closure at a time, in the order in which they come.
///
/// No closure may use the queue that it was called by: it would wait for itself.
public final class DatabaseQueue: Sendable {
  /// The path that it was opened by.
  public let path: String
  private let queue: DispatchQueue
  // Touched only on the queue.
  nonisolated(unsafe) private let database: Database

  /// Opens the database at `path`, which is created where it is missing and the connection may write.
  ///
  /// - Parameters:
  ///   - path: A path, or a URI that begins with `file:`.
  ///   - configuration: How the connection is set up.
  /// - Throws: `DatabaseError`, also where the file is not a database.
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

  /// Has `body` called with the connection, outside of a transaction, when it is its turn.
  public func asyncWriteWithoutTransaction(_ body: @escaping @Sendable (Database) -> Void) {
    queue.async { [self] in body(database) }
  }

  /// Calls `body` in a transaction that is undone: what it reads is of one moment.
  public func read<T>(_ body: (Database) throws -> T) throws -> T {
    try queue.sync { try inSnapshot(body) }
  }

  /// To be called on the queue.
  private func inSnapshot<T>(_ body: (Database) throws -> T) throws -> T {
    try database.beginTransaction(.deferred)
    defer { try? database.rollback() }
    return try body(database)
  }

  /// Has `body` called as by ``read(_:)`` when it is its turn, and `completion` with what came of it, both on the queue's thread.
  public func asyncRead<T>(
    _ body: @escaping @Sendable (Database) throws -> T, completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    queue.async { [self] in completion(Result { try inSnapshot(body) }) }
  }

  /// Makes another database what this one is, pages and all.
  public func backup(to target: DatabaseQueue) throws {
    try queue.sync { try target.queue.sync { try database.backup(to: target.database) } }
  }

  /// Calls `body` in a transaction, which is undone where it throws.
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

  /// Ends the connection; whatever uses it from now on throws.
  public func close() throws { queue.sync { database.close() } }
}
