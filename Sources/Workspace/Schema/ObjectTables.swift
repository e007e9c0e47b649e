import SQLite

/// Compares the tables of a file with the declarations of the types, and upgrades them.
///
/// Only the number of each table's last migration is recorded; everything else is read from the tables themselves.
struct ObjectTables {
  let schema: WorkspaceSchema
  let path: String

  private var tables: [TableDescription] { schema.objects.map { $0.table } }

  /// Returns whether every table has its columns and unique indexes. Other indexes may be missing: they are built later.
  ///
  /// Throws if a table has a newer version, or does not fit.
  func isCurrent(_ db: Database) throws -> Bool {
    let tables = tables
    guard !tables.isEmpty else { return true }
    try checkDeclarations(tables)
    let versions = try recordedVersions(db)
    var isCurrent = true
    for table in tables {
      guard let found = versions[table.name] else {
        isCurrent = false
        continue
      }
      guard found <= table.version else {
        throw WorkspaceError.newerSchema(path: path, found: found, known: table.version)
      }
      // A table with pending migrations need not fit yet.
      guard found == table.version else {
        isCurrent = false
        continue
      }
      if try !missingColumns(of: table, db).isEmpty { isCurrent = false }
      if try missingIndexes(of: table, db).contains(where: \.isUnique) { isCurrent = false }
    }
    return isCurrent
  }

  /// Upgrades the tables. Must be called in the transaction that upgrades the file.
  func migrate(_ db: Database) throws {
    let tables = tables
    guard !tables.isEmpty else { return }
    try checkDeclarations(tables)
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS object_schema (
          table_name TEXT PRIMARY KEY, version INTEGER NOT NULL
        ) WITHOUT ROWID, STRICT
        """)
    let versions = try recordedVersions(db)
    for table in tables {
      if let found = versions[table.name] {
        for migration in table.migrations.dropFirst(found) { try run(migration, on: table, db) }
        for column in try missingColumns(of: table, db) { try add(column, to: table, db) }
        for index in try missingIndexes(of: table, db) where index.isUnique { try build(index, of: table, db) }
      } else {
        try create(table, db)
      }
      try db.execute(
        sql: """
          INSERT INTO object_schema (table_name, version) VALUES (?, ?)
          ON CONFLICT (table_name) DO UPDATE SET version = excluded.version
          """, arguments: [table.name, table.version])
    }
  }

  /// Returns why types over tables of the migrations cannot be used with these tables; empty if they can.
  func mappingFaults(_ db: Database) throws -> [String] {
    try (schema.mapped + [StoredLease.self]).compactMap { type in
      do {
        let missing = try missingColumns(of: type.table, db)
        return missing.isEmpty ? nil : "\(type.table.name) has no \(missing.map(\.name).joined(separator: ", "))"
      } catch let error as WorkspaceError {
        return error.description
      }
    }
  }

  /// Returns the statements of declared indexes that are missing. A new table has all of them from the beginning.
  func pendingIndexes(_ db: Database) throws -> [String] {
    try tables.flatMap { table in try missingIndexes(of: table, db).map { $0.sql(for: table.name) } }
  }

  private func checkDeclarations(_ tables: [TableDescription]) throws {
    if let fault = tables.lazy.compactMap(\.fault).first { throw unsuitable(fault) }
    let names = tables.map { $0.name.lowercased() }
    for name in names where names.count(where: { $0 == name }) > 1 {
      throw unsuitable("two types have the table '\(name)'")
    }
  }

  private func recordedVersions(_ db: Database) throws -> [String: Int] {
    guard try db.tableExists("object_schema") else { return [:] }
    let rows = try Row.fetchAll(db, sql: "SELECT table_name, version FROM object_schema")
    return Dictionary(rows.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
  }

  private func missingColumns(of table: TableDescription, _ db: Database) throws -> [ColumnDescription] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, type, \"notnull\", pk, dflt_value FROM pragma_table_info(?)", arguments: [table.name])
    let found: [String: Row] = Dictionary(rows.map { ($0[0], $0) }, uniquingKeysWith: { first, _ in first })
    let columns = table.columns.filter { $0.lookup == nil }
    for column in columns {
      guard let row = found[column.name] else { continue }
      let storage: String = row[1]
      let isRequired: Bool = row[2]
      let isOptional = !isRequired && row[3] == 0
      guard storage == column.storage.rawValue, isOptional == column.isOptional else {
        throw unsuitable(
          "\(table.name).\(column.name) is \(storage)\(isOptional ? "" : " NOT NULL") in the file but "
            + "\(column.storage.rawValue)\(column.isOptional ? "" : " NOT NULL") in the declaration; add a migration")
      }
    }
    let names = Set(table.columns.map(\.name))
    // A newer version may have added fields for which the file has a value.
    if let needed = rows.first(where: { $0[2] && $0[3] == 0 && ($0[4] as String?) == nil && !names.contains($0[0]) }) {
      let name: String = needed[0]
      throw unsuitable(
        "\(table.name).\(name) is required in the file but missing in the declaration, so no object could be created; "
          + "declare it, or add the migration .remove(\"\(name)\")")
    }
    let key: [String] = rows.filter { $0[3] > 0 }.sorted { ($0[3] as Int) < $1[3] }.map { $0[0] }
    guard key == table.key else {
      throw unsuitable(
        "the key of \(table.name) is (\(key.joined(separator: ", "))) in the file but "
          + "(\(table.key.joined(separator: ", "))) in the declaration; add a migration")
    }
    return columns.filter { found[$0.name] == nil }
  }

  private func missingIndexes(of table: TableDescription, _ db: Database) throws -> [IndexDescription] {
    let names = try String.fetchSet(
      db, sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", arguments: [table.name])
    return table.indexes.filter { !names.contains($0.name(in: table.name)) }
  }

  private func create(_ table: TableDescription, _ db: Database) throws {
    // A single integer key is SQLite's own row ID, the fastest key there is. Any other key orders the table itself, so that objects are stored in the
    // order of their keys and every index ends with the key.
    let keys = table.keyPlaces.map { table.columns[$0] }
    let isRowID = keys.count == 1 && keys[0].storage == .integer
    let columns = try table.columns.filter { $0.lookup == nil }.map { try definition(of: $0, in: table) }
    let key = "PRIMARY KEY (\(table.key.map(\.quoted).joined(separator: ", ")))"
    try db.execute(
      sql: "CREATE TABLE \(table.name.quoted) (\n  \((columns + [key]).joined(separator: ",\n  "))\n) "
        + (isRowID ? "STRICT" : "WITHOUT ROWID, STRICT"))
    for index in table.indexes { try db.execute(sql: index.sql(for: table.name)) }
  }

  private func definition(of column: ColumnDescription, in table: TableDescription) throws -> String {
    let fallback = try column.defaultValue.map { " DEFAULT \(try literal($0, of: column, in: table))" } ?? ""
    return "\(column.name.quoted) \(column.storage.rawValue)\(column.isOptional ? "" : " NOT NULL")\(fallback)"
  }

  private func literal(_ value: SQLValue, of column: ColumnDescription, in table: TableDescription) throws -> String {
    switch value {
    case .null: return "NULL"
    case .int(let number): return String(number)
    case .double(let number) where number.isFinite: return String(number)
    case .text(let text) where !text.utf8.contains(0):
      return "'" + text.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) } + "'"
    case .blob(let bytes):
      return "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    default: throw unsuitable("the default of \(table.name).\(column.name) cannot be written in SQL")
    }
  }

  private func add(_ column: ColumnDescription, to table: TableDescription, _ db: Database) throws {
    guard column.isOptional || column.defaultValue != nil else {
      throw unsuitable("\(table.name).\(column.name) is new, is not optional and has no default; give it a default")
    }
    try db.execute(sql: "ALTER TABLE \(table.name.quoted) ADD COLUMN \(definition(of: column, in: table))")
  }

  private func build(_ index: IndexDescription, of table: TableDescription, _ db: Database) throws {
    do {
      try db.execute(sql: index.sql(for: table.name))
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw unsuitable(
        "(\(index.fields.joined(separator: ", "))) of \(table.name) is declared unique, but some objects have the same values; "
          + "add a migration that makes them different")
    }
  }

  private func run(_ migration: ObjectMigration, on table: TableDescription, _ db: Database) throws {
    func has(_ column: String) throws -> Bool {
      try Bool.fetchOne(
        db, sql: "SELECT count(*) > 0 FROM pragma_table_info(?) WHERE name = ?", arguments: [table.name, column])
        ?? false
    }
    switch migration.step {
    case .sql(let sql): try db.execute(sql: sql)
    case .rename(let old, let new):
      guard try has(old) else { return }
      try db.execute(sql: "ALTER TABLE \(table.name.quoted) RENAME COLUMN \(old.quoted) TO \(new.quoted)")
      try dropIndexes(over: new, of: table, db)
    case .remove(let field):
      guard try has(field) else { return }
      try dropIndexes(over: field, of: table, db)
      try db.execute(sql: "ALTER TABLE \(table.name.quoted) DROP COLUMN \(field.quoted)")
    }
  }

  /// Indexes are named after their fields; the declared ones are built again.
  private func dropIndexes(over field: String, of table: TableDescription, _ db: Database) throws {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT s.name FROM sqlite_schema s JOIN pragma_index_info(s.name) i
        WHERE s.type = 'index' AND s.tbl_name = ? AND s.sql IS NOT NULL AND i.name = ?
        """, arguments: [table.name, field])
    for name in names { try db.execute(sql: "DROP INDEX \(name.quoted)") }
  }

  private func unsuitable(_ reason: String) -> WorkspaceError {
    .unsuitableSchema(path: path, reason: reason)
  }
}
