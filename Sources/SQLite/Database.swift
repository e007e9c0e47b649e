import CLibSQLite

/// A connection, lent to a closure. It must not be used outside that closure.
///
/// Prepared statements are cached by their SQL until the connection is closed.
public final class Database {
  /// How a transaction begins, as described in <https://sqlite.org/lang_transaction.html>.
  public enum TransactionKind: String, Sendable {
    case deferred = "DEFERRED"
    case immediate = "IMMEDIATE"
  }

  private final class Busy {
    let look: @Sendable (Int) -> Bool
    init(_ look: @escaping @Sendable (Int) -> Bool) { self.look = look }
  }

  private var connection: Connection?
  private var statements: [String: Statement] = [:]
  private var busy: Busy?

  /// The SQLite connection; nil once closed.
  public var sqliteConnection: OpaquePointer? { connection?.pointer }

  init(path: String, configuration: Configuration) throws {
    let connection = try Connection(path: path, configuration: configuration)
    self.connection = connection
    if let look = configuration.busy {
      let busy = Busy(look)
      self.busy = busy
      // This `Database` owns the box. It holds the first reference to the connection, and `close` removes the handler.
      sqlite3_busy_handler(
        connection.pointer,
        { box, tries in
          guard let box else { return 0 }
          return Unmanaged<Busy>.fromOpaque(box).takeUnretainedValue().look(Int(tries)) ? 1 : 0
        }, Unmanaged.passUnretained(busy).toOpaque())
    }
    for prepare in configuration.preparations { try prepare(self) }
    // SQLite opens any file and only checks that it is a database at the first read.
    try execute(sql: "SELECT 1 FROM sqlite_schema LIMIT 1")
  }

  deinit { close() }

  /// Closes the connection. Statements that are still held can be released safely.
  func close() {
    statements = [:]
    if let connection { sqlite3_busy_handler(connection.pointer, nil, nil) }
    busy = nil
    connection = nil
  }

  private func open() throws -> Connection {
    guard let connection else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed") }
    return connection
  }

  // MARK: Statements

  /// Prepares the first statement of `sql`; any text after it is ignored.
  public func makeStatement(sql: String) throws -> Statement { try prepare(sql, isKept: false) }

  /// Returns the statement with this SQL, prepared once per connection. If that statement's rows are being read, returns a new one, so the read is not
  /// disturbed.
  public func cachedStatement(sql: String) throws -> Statement {
    if let known = statements[sql] { return known.isBusy ? try prepare(sql, isKept: false) : known }
    let statement = try prepare(sql, isKept: true)
    statements[sql] = statement
    return statement
  }

  private func prepare(_ sql: String, isKept: Bool) throws -> Statement {
    let connection = try open()
    var rest: UnsafePointer<CChar>?
    guard let statement = try Statement(sql, connection, isKept: isKept, rest: &rest) else {
      throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
    }
    return statement
  }

  /// Runs all statements in `sql` in order. Each takes as many of the arguments as it has parameters.
  ///
  /// - Throws: `DatabaseError`, also if arguments are missing or left over.
  public func execute(sql: String, arguments: StatementArguments = []) throws {
    let connection = try open()
    var values = arguments.values[...]
    try sql.withCString { text in
      var next: UnsafePointer<CChar>? = text
      while let here = next, here.pointee != 0 {
        guard let statement = try Statement(here, connection, isKept: false, rest: &next) else { continue }
        let own = values.prefix(statement.parameterCount)
        values = values.dropFirst(own.count)
        try statement.execute(arguments: StatementArguments(own))
      }
    }
    guard values.isEmpty else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "wrong number of statement arguments: \(values.count) too many",
        sql: sql)
    }
  }

  // MARK: The connection

  /// The number of rows changed by the latest `INSERT`, `UPDATE` or `DELETE`.
  public var changesCount: Int { connection.map { Int(sqlite3_changes($0.pointer)) } ?? 0 }

  /// The number of rows that this connection has changed since it was opened, including those of rolled back transactions.
  public var totalChangesCount: Int { connection.map { Int(sqlite3_total_changes($0.pointer)) } ?? 0 }

  /// The row ID of the last inserted row.
  public var lastInsertedRowID: Int64 { connection.map { sqlite3_last_insert_rowid($0.pointer) } ?? 0 }

  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { connection.map { sqlite3_get_autocommit($0.pointer) == 0 } ?? false }

  /// Begins a transaction.
  public func beginTransaction(_ kind: TransactionKind = .deferred) throws {
    try cachedStatement(sql: "BEGIN \(kind.rawValue) TRANSACTION").execute()
  }

  /// Commits the transaction.
  public func commit() throws { try cachedStatement(sql: "COMMIT TRANSACTION").execute() }

  /// Rolls back the transaction, if one is open.
  public func rollback() throws {
    // SQLite has already rolled back after some errors, such as a full disk.
    guard isInsideTransaction else { return }
    try cachedStatement(sql: "ROLLBACK TRANSACTION").execute()
  }

  /// Overwrites another database with a copy of this one. See <https://sqlite.org/backup.html>.
  func backup(to target: Database) throws {
    let (source, target) = try (open().pointer, target.open().pointer)
    guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
      throw DatabaseError(sqlite3_extended_errcode(target), on: target)
    }
    let step = sqlite3_backup_step(backup, -1)
    let code = sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE else { throw DatabaseError(code == SQLITE_OK ? step : code, on: target) }
  }

  /// Returns whether there is a table with this name, ignoring case.
  public func tableExists(_ name: String) throws -> Bool {
    try Int.fetchOne(
      self, sql: "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", arguments: [name])
      != nil
  }
}
