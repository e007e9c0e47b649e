import Foundation
import SQLite
import Testing

@Suite("Databases")
final class DatabaseTests: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString).db").path
  let queue: DatabaseQueue

  init() throws {
    queue = try DatabaseQueue(path: path)
    try queue.write { db in
      try db.execute(
        sql: "CREATE TABLE a (number INTEGER PRIMARY KEY, text TEXT); INSERT INTO a VALUES (1, 'one'), (2, NULL)")
    }
  }

  deinit { for suffix in ["", "-wal", "-shm", "-journal", ".copy"] { unlink(path + suffix) } }

  private func error(_ body: () throws -> Void) -> DatabaseError? {
    do {
      try body()
      return nil
    } catch { return error as? DatabaseError }
  }

  @Test("a transaction is rolled back if its body throws, and committed otherwise")
  func transactions() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try queue.write { db in
        try db.execute(sql: "DELETE FROM a")
        #expect(db.changesCount == 2)
        throw Stop()
      }
    }
    try queue.write { db in
      try db.execute(sql: "INSERT INTO a (text) VALUES (?)", arguments: ["three"])
      #expect(db.lastInsertedRowID == 3 && db.isInsideTransaction)
    }
    #expect(try queue.read { try Int.fetchAll($0, sql: "SELECT number FROM a ORDER BY number") } == [1, 2, 3])
    #expect(queue.unsafeRead { !$0.isInsideTransaction })
  }

  @Test("rolling back after SQLite has already rolled back is allowed")
  func rolledBack() throws {
    try queue.writeWithoutTransaction { db in
      try db.rollback()
      try db.beginTransaction(.immediate)
      let failure = error { try db.execute(sql: "INSERT OR ROLLBACK INTO a VALUES (1, 'again')") }
      #expect(failure?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY && failure?.resultCode == .SQLITE_CONSTRAINT)
      try db.rollback()
    }
  }

  @Test("several statements share the arguments, and missing or surplus arguments are errors that change nothing")
  func arguments() throws {
    try queue.write { db in
      try db.execute(
        sql: "INSERT INTO a (text) VALUES (?); UPDATE a SET text = ? WHERE number = ?; -- the end",
        arguments: ["three", "two", 2])
      #expect(try String.fetchAll(db, sql: "SELECT text FROM a ORDER BY number") == ["one", "two", "three"])
    }
    for arguments in [[], [1, 2]] as [StatementArguments] {
      let failure = error {
        try queue.write { try $0.execute(sql: "DELETE FROM a WHERE number = ?", arguments: arguments) }
      }
      #expect(failure?.resultCode == .SQLITE_MISUSE, "\(arguments)")
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM a") } == 3)
  }

  @Test("an error has SQLite's message and the statement")
  func messages() throws {
    let failure = error { try queue.read { _ = try $0.makeStatement(sql: "SELECT x FROM a") } }
    #expect(failure?.description == "SQLite error 1: no such column: x - while executing `SELECT x FROM a`")
    #expect(error { try queue.read { _ = try $0.makeStatement(sql: "-- nothing") } }?.message == "empty statement")
  }

  @Test("double quotes enclose an identifier, never a string")
  func quotes() throws {
    #expect(error { try queue.read { _ = try Int.fetchOne($0, sql: "SELECT \"x\"") } } != nil)
  }

  @Test("a statement is prepared once, and reusing its SQL does not disturb a reader of its rows")
  func cached() throws {
    try queue.unsafeRead { db in
      let sql = "SELECT number FROM a ORDER BY number"
      #expect(try db.cachedStatement(sql: sql) === db.cachedStatement(sql: sql))
      let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
      #expect(try rows.next()?[0] as Int? == 1)
      #expect(try Int.fetchAll(db.cachedStatement(sql: sql)) == [1, 2])
      #expect(try rows.next()?[0] as Int? == 2)
      #expect(try rows.next() == nil && rows.next() == nil)
    }
  }

  @Test("an unfinished cursor does not block writing")
  func leftCursor() throws {
    try queue.writeWithoutTransaction { db in
      _ = try Row.fetchCursor(db, sql: "SELECT * FROM a").next()
      try db.execute(sql: "DROP TABLE a")
      #expect(try !db.tableExists("a"))
    }
  }

  @Test("using a closed connection is an error, and statements still held remain safe")
  func closed() throws {
    let statement = try queue.unsafeRead { try $0.cachedStatement(sql: "SELECT 1") }
    try queue.close()
    let failure = error { try queue.read { _ = try Int.fetchOne($0, sql: "SELECT 1") } }
    #expect(failure?.resultCode == .SQLITE_MISUSE && failure?.message?.contains("closed") == true)
    _ = statement.sql
  }

  @Test("a read-only connection rejects writes, and a file that is not a database is not opened")
  func refused() throws {
    var configuration = Configuration()
    configuration.readonly = true
    let reader = try DatabaseQueue(path: path, configuration: configuration)
    #expect(
      error { try reader.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM a") } }?.resultCode
        == .SQLITE_READONLY)
    let other = path + ".copy"
    try Data(repeating: 0x55, count: 10_000).write(to: URL(fileURLWithPath: other))
    #expect(error { _ = try DatabaseQueue(path: other) }?.resultCode == .SQLITE_NOTADB)
    #expect(error { _ = try DatabaseQueue(path: other + "/x") }?.resultCode == .SQLITE_CANTOPEN)
  }

  @Test("the busy handler is called for each retry and can give up")
  func busy() throws {
    var configuration = Configuration()
    configuration.busy = { $0 < 3 }
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { db in
      try db.beginTransaction(.immediate)
      #expect(error { try other.write { try $0.execute(sql: "DELETE FROM a") } }?.resultCode == .SQLITE_BUSY)
      try db.commit()
    }
    try other.write { try $0.execute(sql: "DELETE FROM a") }
  }

  @Test("a backup has the same contents as the original")
  func backup() throws {
    let copy = try DatabaseQueue(path: path + ".copy")
    try queue.backup(to: copy)
    #expect(try copy.read { try String.fetchSet($0, sql: "SELECT text FROM a WHERE text IS NOT NULL") } == ["one"])
  }
}
