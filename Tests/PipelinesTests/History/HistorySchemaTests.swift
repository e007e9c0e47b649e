import Foundation
import GRDB
import Testing
import Workspace

@testable import Pipelines

@Suite("The schema of history")
struct HistorySchemaTests {
  /// What a workspace is made of, after it was opened with each of the schemas.
  private func content(_ schemas: [WorkspaceSchema]) throws -> Set<String> {
    let path = NSTemporaryDirectory() + "history-schema-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    var content: Set<String> = []
    for schema in schemas {
      let workspace = try Workspace.open(at: path, schema: schema, mode: .readWrite)
      content = try workspace.read { db in
        try String.fetchSet(
          db, sql: "SELECT type || ' ' || name || ' of ' || tbl_name || ': ' || ifnull(sql, '') FROM sqlite_schema")
      }
      workspace.close()
    }
    return content
  }

  @Test("is the same in a new workspace as in one that went through all versions, at once or one by one")
  func whole() throws {
    let schema = HistorySchema.schema
    func version(_ number: Int) -> WorkspaceSchema {
      WorkspaceSchema(applicationID: schema.applicationID, migrations: Array(schema.migrations.prefix(number)))
    }
    let new = try content([schema])
    #expect(new.count > 30)
    #expect(try content([version(schema.migrations.count)]) == new)
    #expect(try content((1...schema.migrations.count).map(version)) == new)
    #expect(try content([version(1), schema]) == new)
  }
}
