import Glibc
import SQLite

/// Finds additions to the schema of a file that are not ours: a trigger runs with every change, and an index or a constraint may compute forever.
struct ForeignSchema {
  private let schema: WorkspaceSchema
  /// The SQL of all migrations.
  private let text: ContiguousArray<CChar>

  init(_ schema: WorkspaceSchema) {
    self.schema = schema
    text = (WorkspaceTables.migrations + schema.migrations.map(\.sql)).joined(separator: "\n").utf8CString
  }

  /// Returns the first object in the file that is not part of the schema, such as "the trigger 'x'"; nil if there is none.
  func first(in db: Database) throws -> String? {
    let tables = Set(schema.objects.map { $0.table.name.lowercased() } + ["object_schema"])
    let rows = try Row.fetchCursor(
      db.cachedStatement(sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    while let row = try rows.next() {
      let (type, name, sql): (String, String, String) = (row[0], row[1], row[3])
      let isOfObjects = tables.contains((row[2] as String).lowercased()) && (type == "table" || type == "index")
      // SQLite keeps statistics for its planner in its own tables.
      let isSQLites = type == "table" && name.hasPrefix("sqlite_")
      guard !isOfObjects, !isSQLites, !contains(sql), !(type == "table" && isExtended(name, sql)) else { continue }
      return "the \(type) '\(name)'"
    }
    return nil
  }

  /// Returns whether a table belongs to the schema and migrations have added plain columns to it, which compute nothing. SQLite composes the SQL of such a
  /// table.
  private func isExtended(_ name: String, _ sql: String) -> Bool {
    guard contains("CREATE TABLE \(name) (") else { return false }
    return sql.lowercased().withCString { lower in
      !["check", "generated", "as (", "as(", "default ("].contains { (word: String) in strstr(lower, word) != nil }
    }
  }

  // Swift's own search takes a hundred times as long as C's, and every command that writes waits for this.
  private func contains(_ part: String) -> Bool {
    text.withUnsafeBufferPointer { text in
      text.baseAddress.map { strstr($0, part) != nil } ?? false
    }
  }
}
