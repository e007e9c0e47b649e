import SQLite
import Testing
import Workspace

@Suite("A query written by a user")
struct GuardedQueryTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openNumbers(directory)
    try workspace.write { db in
      for value in 1...3 { try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [value]) }
    }
  }

  @Test("returns columns and rows of every kind")
  func rows() throws {
    let query = try GuardedQuery(
      "SELECT value AS n, value / 2.0 AS half, 'text ' || value AS t, x'0102' AS b, NULL AS none FROM number -- all",
      on: workspace)
    #expect(query.columns == ["n", "half", "t", "b", "none"])
    #expect(try query.next() == [.int(1), .double(0.5), .text("text 1"), .blob([1, 2]), .null])
    #expect(try query.next()?.first == .int(2))
    #expect(try query.next()?.first == .int(3))
    #expect(try query.next() == nil)
  }

  @Test(
    "may use everything that reading needs",
    arguments: [
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT sum(n) FROM c",
      "SELECT name FROM sqlite_schema", "SELECT value FROM json_each('[1,2]')", "SELECT count(*) FROM leases",
      "SELECT row_number() OVER (ORDER BY value) FROM number", "VALUES (1)", "SELECT 1;  -- the end\n",
    ])
  func admitted(sql: String) throws {
    let query = try GuardedQuery(sql, on: workspace)
    #expect(try query.next() != nil)
  }

  @Test(
    "is refused if it does anything else",
    arguments: [
      "DELETE FROM number", "INSERT INTO number (value) VALUES (1)", "UPDATE number SET value = 0", "DROP TABLE number",
      "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)", "ATTACH '/tmp/other.db' AS other", "DETACH main",
      "PRAGMA user_version",
      "PRAGMA user_version = 9", "PRAGMA journal_mode = DELETE", "SELECT * FROM pragma_table_info('number')",
      "SELECT load_extension('x')", "BEGIN", "COMMIT", "SAVEPOINT s", "VACUUM", "VACUUM INTO '/tmp/copy.db'", "REINDEX",
      "ANALYZE", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM number", "REPLACE INTO number VALUES (1, 1)",
      "WITH x AS (SELECT 1) DELETE FROM number", "INSERT INTO number (value) VALUES (1) RETURNING value",
    ])
  func refused(sql: String) throws {
    let error = #expect(throws: GuardedQueryError.self) {
      let query = try GuardedQuery(sql, on: workspace)
      while try query.next() != nil {}
    }
    #expect(error?.code == "query-not-allowed", "\(String(describing: error))")
    #expect(try workspace.values() == [1, 2, 3])
  }

  @Test("reports its error and the position")
  func wrong() throws {
    let error = #expect(throws: GuardedQueryError.self) { try GuardedQuery("SELECT valu FROM number", on: workspace) }
    #expect(error == .invalid(message: "no such column: valu", offset: 7))
    #expect(throws: GuardedQueryError.invalid(message: "there is no statement", offset: nil)) {
      try GuardedQuery("  -- nothing", on: workspace)
    }
  }

  @Test("is stopped after too many steps")
  func stepLimit() throws {
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    let query = try GuardedQuery(endless, on: workspace, stepLimit: 100_000)
    let error = #expect(throws: GuardedQueryError.self) { try query.next() }
    #expect(error == .tooLong(steps: 100_000))
    #expect(error.map(String.init(describing:))?.contains("100000 steps") == true)
    let short = try GuardedQuery(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20) SELECT count(*) FROM c", on: workspace,
      stepLimit: 10)
    #expect(throws: GuardedQueryError.tooLong(steps: 10)) { try short.next() }
  }

  @Test("cannot create values that exhaust the memory")
  func hugeValue() throws {
    let query = try GuardedQuery("SELECT length(zeroblob(1000000000))", on: workspace)
    #expect(throws: GuardedQueryError.self) { try query.next() }
  }
}
