import SQLite
import Values
import Workspace

/// Copies everything that can still be read from a damaged database, row by row, into a new one.
///
/// First through SQLite: a table is read from its beginning until a page cannot be read, and from its end backwards; what lies between is searched by
/// halving the range of keys, so that a damaged page costs only the rows on it. If something was missing, ``PageSalvage`` then examines the pages one
/// by one for rows that SQLite cannot reach, even if the schema itself is lost.
struct HistorySalvage {
  /// What was saved.
  struct Report: Sendable, Hashable {
    var runs = 0
    var operations = 0
    var attempts = 0
    /// The operations that could be read, but not their run. They are not saved.
    var strayOperations = 0
    /// The attempts that could be read, but not their run or their operation. They are not saved.
    var strayAttempts = 0
    /// Whether some page could not be read, so that rows may be missing.
    var isIncomplete = false
  }

  /// A table, with the integer column that its rows are ordered by.
  struct Table {
    var name: String
    /// Nil for a table with a text key, which is read only from the beginning and from the end.
    var key: String?

    /// The number of columns added by migrations, which older rows lack.
    var laterColumns: Int {
      let added = "ALTER TABLE \(name) ADD COLUMN "
      return HistorySchema.schema.migrations.map { migration in
        migration.sql.split(separator: "\n").count { $0.drop { $0 == " " }.hasPrefix(added) }
      }.reduce(0, +)
    }
  }

  static let tables = [
    Table(name: "definition", key: "number"), Table(name: "run_record", key: "number"),
    Table(name: "operation_record", key: "key"), Table(name: "attempt_record", key: "operation"),
    Table(name: "approval", key: "operation"), Table(name: "request", key: "number"),
    Table(name: "occasion", key: "number"), Table(name: "queue_entry", key: "run"), Table(name: "queue_turn"),
    Table(name: "pipeline_turn"),
    Table(name: "pause"), Table(name: "former_pause", key: "number"),
    Table(name: "host_record", key: "number"), Table(name: "host_request", key: "number"),
    Table(name: "pipeline_record"), Table(name: "audit_record", key: "number"),
    Table(name: "specification_record"), Table(name: "specification_change", key: "number"),
    Table(name: "plugin_value"),
    Table(name: "lease_record"),
    Table(name: "resource_record"), Table(name: "resource_hold", key: "number"),
  ]
  /// The maximum number of probes per table into the unread ranges.
  private static let mostProbes = 500

  /// The path of the damaged database.
  let path: String
  let target: History

  /// Copies everything that can be read. Only throws errors of the new database.
  func run() throws -> Report {
    var report = Report()
    report.isIncomplete = try !copyTables()
    if report.isIncomplete, let pages = DatabasePages(path: path) {
      try PageSalvage(pages: pages, target: target).run()
    }
    return try target.write { db in
      // Records without their run cannot be found, and do not contain its pipeline and state.
      func delete(_ sql: String) throws -> Int {
        try db.execute(sql: sql)
        return db.changesCount
      }
      report.strayOperations = try delete(
        "DELETE FROM operation_record WHERE NOT EXISTS (SELECT 1 FROM run_record r WHERE r.number = key >> 32)")
      report.strayAttempts = try delete(
        "DELETE FROM attempt_record WHERE NOT EXISTS (SELECT 1 FROM operation_record o WHERE o.key = operation)")
      try db.execute(
        sql: """
          DELETE FROM approval WHERE NOT EXISTS (SELECT 1 FROM run_record r WHERE r.number = operation >> 32);
          DELETE FROM request WHERE NOT EXISTS (SELECT 1 FROM run_record r WHERE r.number = run);
          """)
      func count(_ table: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0 }
      report.runs = try count("run_record")
      report.operations = try count("operation_record")
      report.attempts = try count("attempt_record")
      return report
    }
  }

  /// Copies what SQLite can read. Returns false if that was not everything.
  private func copyTables() throws -> Bool {
    var configuration = Configuration()
    configuration.readonly = true
    guard let source = try? DatabaseQueue(path: path, configuration: configuration) else { return false }
    defer { try? source.close() }
    var isWhole = true
    for table in Self.tables where try !copy(table, of: source) { isWhole = false }
    return isWhole
  }

  /// Copies one table. Returns false if something in it could not be read.
  private func copy(_ table: Table, of source: DatabaseQueue) throws -> Bool {
    let columns = columns(of: table.name, in: source)
    guard !columns.isEmpty else { return false }
    let copier = RowCopier(source: source, table: table.name, columns: columns, key: table.key)
    return try target.write { db in
      guard table.key != nil else {
        if try copier.copy(nil, isAscending: true, to: db).isWhole { return true }
        _ = try copier.copy(nil, isAscending: false, to: db)
        return false
      }
      // Ranges of keys that have not been read, the widest last.
      var open: [ClosedRange<Int64>] = [Int64.min / 2...Int64.max / 2]
      var isWhole = true
      var probes = 0
      while let range = open.popLast(), probes < Self.mostProbes {
        probes += 1
        let up = try copier.copy(range, isAscending: true, to: db)
        if up.isWhole { continue }
        isWhole = false
        let first = up.last.map { $0 + 1 } ?? range.lowerBound
        guard first <= range.upperBound else { continue }
        let down = try copier.copy(first...range.upperBound, isAscending: false, to: db)
        let last = down.last.map { $0 - 1 } ?? range.upperBound
        guard !down.isWhole, first < last else { continue }
        let middle = first + (last - first) / 2
        open += [first...middle, middle + 1...last]
        open.sort { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
      }
      return isWhole
    }
  }

  /// Returns the columns that both databases have.
  private func columns(of table: String, in source: DatabaseQueue) -> [String] {
    func names(_ access: ((Database) throws -> [String]) throws -> [String]) -> [String] {
      (try? access { try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('\(table)') ORDER BY cid") })
        ?? []
    }
    let old = names(source.unsafeRead)
    return names(target.workspace.read).filter(old.contains)
  }
}

/// Copies rows of one table in ascending or descending order of its key, for as long as they can be read.
private struct RowCopier {
  let source: DatabaseQueue
  let select: String
  let insert: String
  let key: String?

  /// The outcome of a copy: the last key that was read, and whether all rows could be.
  struct Outcome {
    var last: Int64?
    var isWhole: Bool
  }

  init(source: DatabaseQueue, table: String, columns: [String], key: String?) {
    self.source = source
    self.key = key
    let names = columns.joined(separator: ", ")
    select = "SELECT \(key ?? "0"), \(names) FROM \(table)"
    // Rows copied by an earlier pass exist already; rows with damaged values are rejected by the table's constraints.
    insert =
      "INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
  }

  func copy(_ range: ClosedRange<Int64>?, isAscending: Bool, to db: Database) throws -> Outcome {
    let direction = isAscending ? "ASC" : "DESC"
    let condition =
      key.map { " WHERE \($0) BETWEEN ? AND ? ORDER BY \($0) \(direction)" } ?? " ORDER BY 2 \(direction)"
    let arguments = range.map { StatementArguments([$0.lowerBound, $0.upperBound]) } ?? StatementArguments()
    let insert = try db.cachedStatement(sql: insert)
    return try source.unsafeRead { old in
      var outcome = Outcome(last: nil, isWhole: true)
      do {
        let rows = try Row.fetchCursor(old, sql: select + condition, arguments: arguments)
        while true {
          let row: Row?
          do {
            row = try rows.next()
          } catch {
            outcome.isWhole = false
            return outcome
          }
          guard let row else { return outcome }
          let values = Array(row.databaseValues)
          outcome.last = Int64.fromDatabaseValue(values[0])
          do {
            try insert.execute(arguments: StatementArguments(values.dropFirst()))
          } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            outcome.isWhole = false
          }
        }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
      {
        outcome.isWhole = false
        return outcome
      }
    }
  }
}
