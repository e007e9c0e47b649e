import SQLite
import Workspace

/// Copies rows that can no longer be reached in the damaged database into a new one: page by page, whatever tree a page belonged to.
///
/// A page does not identify its table; a row is recognised by the number and the types of its values, which differ between all tables of a history.
/// Existing rows are not changed. Pages that are known to be unused are skipped, because their rows were deleted; if the list of them is lost,
/// deleted runs may reappear, unless SQLite overwrites deleted content, as it does on Debian.
///
/// The pages are read here although `sqlite3` has `.recover`: as built by Debian 12 (3.40.1, whose library has no page table), it fails with "SQL
/// logic error" on every database, including sound ones, and it does not open a file whose header is lost.
struct PageSalvage {
  let pages: DatabasePages
  let target: History

  /// Copies what is found. Only throws errors of the new database.
  func run() throws {
    let unused = pages.unused()
    let records = PageRecords(pages: pages)
    try target.write { db in
      let tables = try HistorySalvage.tables.compactMap { try TableShape($0, in: db) }
      for number in 0..<pages.count where !unused.contains(number + 1) {
        for record in records.records(of: number + 1) {
          guard let table = tables.first(where: { $0.fits(record) }) else { continue }
          do {
            try db.cachedStatement(sql: table.insert).execute(arguments: StatementArguments(table.values(of: record)))
          } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            continue
          }
        }
      }
    }
  }
}

/// The shape of the rows of a table.
private struct TableShape {
  private struct Column {
    var type: String
    var mayBeNull: Bool
  }

  /// The statement that adds a row with all columns, unless its key exists.
  let insert: String
  private let columns: [Column]
  /// The column that is the row number, which the record does not contain; nil for a table without one.
  private let numberColumn: Int?
  private let hasRowNumbers: Bool
  private let fewestColumns: Int

  init?(_ wanted: HistorySalvage.Table, in db: Database) throws {
    let table = wanted.name
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?) ORDER BY cid", arguments: [table])
    guard let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table])
    else { return nil }
    hasRowNumbers = !sql.contains("WITHOUT ROWID")
    let isKey = rows.map { ($0[3] as Int) > 0 }
    columns = rows.enumerated().map { index, row in Column(type: row[1], mayBeNull: row[2] == 0 && !isKey[index]) }
    numberColumn = hasRowNumbers ? isKey.firstIndex(of: true) : nil
    fewestColumns = columns.count - wanted.laterColumns
    let names = rows.map { $0[0] as String }
    insert =
      "INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", "))) "
      + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
  }

  func fits(_ record: PageRecords.Record) -> Bool {
    guard (record.rowID != nil) == hasRowNumbers, (fewestColumns...columns.count).contains(record.values.count) else {
      return false
    }
    return zip(columns, record.values).enumerated().allSatisfy { index, pair in
      switch pair.1.storage {
      case .null: pair.0.mayBeNull || index == numberColumn
      case .int64: pair.0.type == "INTEGER" && index != numberColumn
      case .string: pair.0.type == "TEXT"
      case .double, .blob: false
      }
    }
  }

  func values(of record: PageRecords.Record) -> [DatabaseValue] {
    var values = record.values
    values += Array(repeating: .null, count: columns.count - values.count)
    if let numberColumn, let number = record.rowID { values[numberColumn] = number.databaseValue }
    return values
  }
}
