import CLibSQLite
import SQLite

/// Upgrades a file to the version of a schema, and refuses files that it must not touch.
struct SchemaUpgrade {
  let schema: WorkspaceSchema
  let path: String

  private var objects: ObjectTables { ObjectTables(schema: schema, path: path) }

  /// Returns whether the file has exactly the schema's version; `false` if migrations are pending.
  ///
  /// Throws for a newer file and for one that is not a workspace.
  func isCurrent(_ db: Database) throws -> Bool {
    // In this order, each in its own snapshot: another process may create the workspace meanwhile, in one transaction. What is read later is then at least
    // as new, so that a file that is just becoming a workspace never looks like one of another program.
    let isEmpty = try Int.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema)") == 0
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    if applicationID == schema.applicationID && found == schema.version { return try objects.isCurrent(db) }
    if applicationID == 0 && found == 0 && isEmpty { return false }
    guard applicationID == schema.applicationID else {
      throw WorkspaceError.notAWorkspace(path: path, reason: "it is a database of another program")
    }
    // Either half may be newer: a later workspace layer, or a later schema on the same layer.
    let known = schema.version
    if found / 1000 > known / 1000 || found % 1000 > known % 1000 {
      throw WorkspaceError.newerSchema(path: path, found: found, known: known)
    }
    _ = try objects.isCurrent(db)
    return false
  }

  /// Refuses a file whose schema contains anything that is not ours. A file of another program or of a newer version is left to ``isCurrent(_:)``.
  func requireOwnSchema(_ db: Database) throws {
    guard schema.isGuarded, try Int32.fetchOne(db, sql: "PRAGMA application_id") == schema.applicationID,
      try (Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0) <= schema.version,
      let foreign = try ForeignSchema(schema).first(in: db)
    else { return }
    throw WorkspaceError.untrusted(path: path, reason: "it contains \(foreign), which does not belong to Penstock")
  }

  /// Returns the statements of declared indexes that are missing. `access` provides the file.
  func pendingIndexes(_ access: ((Database) throws -> [String]) throws -> [String]) throws -> [String] {
    schema.objects.isEmpty ? [] : try access(objects.pendingIndexes)
  }

  /// Runs the pending migrations. Must be called inside a write transaction, so that two processes do not both run them.
  func migrate(_ db: Database) throws {
    guard try !isCurrent(db) else { return }
    let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    for sql in WorkspaceTables.migrations.dropFirst(found / 1000) {
      try db.execute(sql: sql)
    }
    for migration in schema.migrations.dropFirst(found % 1000) { try db.execute(sql: migration.sql) }
    try objects.migrate(db)
    try db.execute(
      sql: "PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(schema.version);")
  }
}
