import SQLite
import Testing

@Suite("Rows")
struct RowTests {
  private func row<T>(_ sql: String, arguments: StatementArguments = [], _ body: (Row) throws -> T) throws -> [T] {
    let queue = try DatabaseQueue(path: ":memory:")
    return try queue.unsafeRead { db in
      // Both kinds of rows: a statement's current row, and a copy of it.
      let cursor = try Row.fetchCursor(db, sql: sql, arguments: arguments)
      let live = try body(#require(try cursor.next()))
      return try [live, body(#require(try Row.fetchOne(db, sql: sql, arguments: arguments)))]
    }
  }

  @Test("values round-trip")
  func roundTrip() throws {
    let texts = ["", "a", "größer 🚰", "with\u{0}nul"]
    for text in texts {
      #expect(try row("SELECT ?", arguments: [text]) { $0[0] as String } == [text, text])
    }
    for number in [0, 1, -1, Int64.max, .min] {
      #expect(try row("SELECT ?", arguments: [number]) { $0[0] as Int64 } == [number, number])
    }
    for bytes in [[], [0, 1, 255]] as [[UInt8]] {
      #expect(try row("SELECT ?", arguments: [bytes]) { $0[0] as [UInt8] } == [bytes, bytes])
      #expect(
        try row("SELECT ?", arguments: [bytes]) { $0.withUnsafeData(at: 0) { $0?.count } } == [
          bytes.count, bytes.count,
        ])
    }
    #expect(try row("SELECT ?", arguments: [0.1]) { $0[0] as Double } == [0.1, 0.1])
    #expect(
      try row("SELECT ?, ?", arguments: [true, nil]) { "\($0[0] as Bool) \(($0[1] as Bool?) == nil)" } == [
        "true true", "true true",
      ])
  }

  @Test(
    "any value converts to any type as in SQLite, without a crash",
    arguments: ["NULL", "7", "-9223372036854775808", "2.5", "1e300", "'12abc'", "'text'", "x'3132'", "x'ff'", "''"])
  func conversions(value: String) throws {
    let sql = "SELECT \(value), CAST(\(value) AS INTEGER), CAST(\(value) AS REAL)"
    let numbers = try row(sql) { row in
      (row[0] as Int64? ?? 0, row[1] as Int64? ?? 0, row[0] as Double? ?? 0, row[2] as Double? ?? 0)
    }
    for number in numbers {
      #expect(number.0 == number.1, "\(value)")
      #expect(number.2 == number.3, "\(value)")
    }
    let all = try row(sql) { "\($0[0] as Int32) \($0[0] as Bool) \($0[0] as String) \(($0[0] as [UInt8]).count)" }
    if !value.contains(".") && !value.contains("e300") { #expect(all[0] == all[1]) }
  }

  @Test("columns are read by name, and an unknown name is NULL")
  func names() throws {
    let found = try row("SELECT 1 AS a, 'x' AS b") { row in
      "\(row.columnNames) \(row["a"] as Int) \(row["b"] as String?, default: "-") \(row["c"] as String?, default: "-") \(row.count)"
    }
    #expect(Set(found) == [#"["a", "b"] 1 x - 2"#])
  }

  @Test("exact conversion accepts a value only if nothing is lost")
  func exact() {
    #expect(Int.fromDatabaseValue(DatabaseValue(.double(2))) == 2)
    #expect(Int.fromDatabaseValue(DatabaseValue(.double(2.5))) == nil)
    #expect(Int32.fromDatabaseValue(DatabaseValue(.int64(1 << 40))) == nil)
    #expect(Int.fromDatabaseValue(DatabaseValue(.string("2"))) == nil)
    #expect(String.fromDatabaseValue(DatabaseValue(.blob([0xFF]))) == nil)
    #expect(Bool.fromDatabaseValue(.null) == nil)
  }

  @Test("fetched rows keep their values")
  func copies() throws {
    let queue = try DatabaseQueue(path: ":memory:")
    let rows = try queue.unsafeRead { try Row.fetchAll($0, sql: "VALUES (1), (2), (3)") }
    #expect(rows.map { $0[0] as Int } == [1, 2, 3])
  }
}
