import Foundation
import SQLite
import Testing

@testable import RunHistory
@testable import Workspace

@Suite("The schema of history")
struct HistorySchemaTests {
  private static let content =
    "SELECT type || ' ' || name || ' of ' || tbl_name || ': ' || ifnull(sql, '') FROM sqlite_schema"

  /// Returns the schema of a workspace after it was opened with each of the schemas in turn.
  private func content(_ schemas: [WorkspaceSchema]) throws -> Set<String> {
    let path = NSTemporaryDirectory() + "history-schema-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    var content: Set<String> = []
    for schema in schemas {
      let workspace = try OpenWorkspace.open(at: path, schema: schema, mode: .readWrite)
      content = try workspace.read { db in
        try String.fetchSet(db, sql: Self.content)
      }
      workspace.close()
    }
    return content
  }

  @Test("matches the declared records")
  func mapping() throws {
    let fixture = try HistoryFixture()
    #expect(!HistorySchema.schema.mapped.isEmpty)
    #expect(try fixture.workspace.mappingFaults(of: HistorySchema.schema) == [])
  }

  @Test("has the columns of the recorder's rows in the order of their fields")
  func order() throws {
    let fixture = try HistoryFixture()
    for table in [StoredRun.schema.table, StoredOperation.schema.table, StoredAttempt.schema.table] {
      let columns = try fixture.workspace.read { db in
        try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('\(table.name)') ORDER BY cid")
      }
      #expect(table.columns.map(\.name).filter(columns.contains) == columns)
    }
  }

  @Test("is the same in a new workspace as in one migrated through all versions, at once or one by one")
  func whole() throws {
    let schema = HistorySchema.schema
    func version(_ number: Int) -> WorkspaceSchema {
      WorkspaceSchema(applicationID: schema.applicationID, migrations: Array(schema.migrations.prefix(number)))
    }
    let new = try content([schema])
    #expect(new.count > 30)
    // These have no template.
    #expect(try content([version(schema.migrations.count)]) == new)
    #expect(try content((1...schema.migrations.count).map(version)) == new)
    #expect(try content([version(1), schema]) == new)
  }

  /// Returns the file of a new workspace as the migrations create it.
  private func file(_ schema: WorkspaceSchema) async throws -> [UInt8] {
    let path = NSTemporaryDirectory() + "history-schema-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let workspace = try OpenWorkspace.open(at: path, schema: schema, mode: .readWrite)
    try workspace.vacuum()
    await workspace.shutdown()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/workspace.db")))
  }

  @Test("has a template of the current version that equals the result of its migrations")
  func template() async throws {
    let schema = HistorySchema.schema
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Sources/RunHistory/Schema/HistoryTemplate.swift")
    if ProcessInfo.processInfo.environment["PENSTOCK_UPDATE_DOCUMENTATION"] != nil {
      let made = try await file(WorkspaceSchema(applicationID: schema.applicationID, migrations: schema.migrations))
      let lines = WorkspaceTemplate.text(of: made).split(separator: "\n").map { "    \($0)\n" }.joined()
      let text = """
        import Workspace

        // Written by HistorySchemaTests with PENSTOCK_UPDATE_DOCUMENTATION=1.
        extension WorkspaceTemplate {
          /// The workspace of a history without runs, of the latest version of ``HistorySchema``.
          static let history = WorkspaceTemplate(
            \"""
        \(lines)    \""")
        }

        """
      try text.write(to: source, atomically: true, encoding: .utf8)
    }
    // PENSTOCK_UPDATE_DOCUMENTATION=1 swift test --filter HistorySchemaTests rewrites the template.
    let directory = NSTemporaryDirectory() + "history-template-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let copy = directory + "/workspace.db"
    try Data(#require(WorkspaceTemplate.history.bytes)).write(to: URL(fileURLWithPath: copy))
    let queue = try DatabaseQueue(path: copy)
    try queue.writeWithoutTransaction { db in
      #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == schema.version)
      #expect(try Int32.fetchOne(db, sql: "PRAGMA application_id") == schema.applicationID)
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      #expect(try Int.fetchOne(db, sql: "PRAGMA freelist_count") == 0)
      for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") {
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 0, "\(table)")
      }
    }
    let content = try queue.writeWithoutTransaction { try String.fetchSet($0, sql: Self.content) }
    try queue.close()
    #expect(
      try self.content([WorkspaceSchema(applicationID: schema.applicationID, migrations: schema.migrations)]) == content
    )
  }
}
