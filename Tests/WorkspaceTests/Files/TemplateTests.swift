import Foundation
import SQLite
import Testing
import WorkspaceChild

@testable import Workspace

@Suite("Templates of workspaces")
struct TemplateTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns the file of a workspace with the schema of numbers, and with a table that no migration creates.
  private func file(_ schema: WorkspaceSchema = .numbers) async throws -> [UInt8] {
    let path = directory.path + "/template"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let workspace = try OpenWorkspace.open(at: path, schema: schema, mode: .readWrite)
    try await workspace.write { try $0.execute(sql: "CREATE TABLE mark (place INTEGER PRIMARY KEY)") }
    await workspace.shutdown()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/workspace.db")))
  }

  private func schema(
    like schema: WorkspaceSchema = .numbers, _ template: String, objects: [any Storable.Type] = []
  ) -> WorkspaceSchema {
    WorkspaceSchema(
      applicationID: schema.applicationID, migrations: schema.migrations, template: WorkspaceTemplate(template),
      objects: objects)
  }

  private func tables(_ workspace: OpenWorkspace) throws -> Set<String> {
    try workspace.read { try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'") }
  }

  @Test("A text decodes to the bytes that it was created from")
  func text() throws {
    var generator = Repeatable(seed: 1)
    var files: [[UInt8]] = [[0], [1], [0, 0, 7], [7, 0, 0], [UInt8](repeating: 0, count: 5000)]
    files.append([UInt8](repeating: 9, count: 5000))
    for share in 1...20 {
      files.append((0..<4096).map { _ in Int.random(in: 0..<20, using: &generator) < share ? .random(in: 0...255) : 0 })
    }
    for file in files {
      let text = WorkspaceTemplate.text(of: file)
      #expect(WorkspaceTemplate(text).bytes == file)
      #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 120 })
    }
  }

  @Test(
    "An invalid text is not a template",
    arguments: [
      "", "0", "-1", "x", "999999999999", "0 AAAA", "0 AAAA\n2", "9 AAAA\n8", "-1 AAAA\n8", "0 A\n8", "0\n8",
      "0 !!!!\n8",
    ])
  func noText(_ text: String) throws {
    #expect(WorkspaceTemplate(text).bytes == nil)
    // The migrations create the workspace instead.
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema(text), mode: .readWrite)
    #expect(try tables(workspace) == ["lease_record", "number"])
  }

  @Test("A new workspace is a copy of the template, accessible only to its owner, and can be written")
  func copy() async throws {
    let template = WorkspaceTemplate.text(of: try await file())
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema(template), mode: .readWrite)
    #expect(try tables(workspace) == ["lease_record", "number", "mark"])
    try await workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (1), (2)") }
    workspace.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.workspace).count == 5)
    for file in [
      "/workspace.db", "/workspace.db-wal", "/workspace.db-shm", "/workspace.lock", "/workspace.hosts",
    ] {
      let mode = try FileManager.default.attributesOfItem(atPath: directory.workspace + file)[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(file)")
    }
    #expect(try openNumbers(directory).values() == [1, 2])
    #expect(
      try OpenWorkspace.open(at: directory.workspace, schema: schema(template), mode: .readWrite).values() == [1, 2])
  }

  @Test("The log of a deleted database is not part of the new one", arguments: ["-wal", "-journal"])
  func strayLog(_ suffix: String) async throws {
    let schema = schema(WorkspaceTemplate.text(of: try await file()))
    let former = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    try await former.write { db in
      for number in 0..<1000 {
        try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number])
      }
    }
    former.close()
    let log = directory.workspace + "/workspace.db-wal"
    #expect(try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0 > 4096)
    if suffix != "-wal" {
      try FileManager.default.moveItem(atPath: log, toPath: directory.workspace + "/workspace.db" + suffix)
    }
    try FileManager.default.removeItem(atPath: directory.workspace + "/workspace.db")
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    #expect(try workspace.values() == [])
    try await workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (7)") }
    #expect(try workspace.values() == [7])
    #expect(try await workspace.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
  }

  @Test("What the template of an older version lacks is added")
  func older() async throws {
    let template = WorkspaceTemplate.text(of: try await file())
    let schema = schema(like: .numbersTwo, template)
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    #expect(try tables(workspace).contains("mark"))
    try await workspace.write { try $0.execute(sql: "INSERT INTO number (value, note) VALUES (1, 'a')") }
    #expect(try workspace.values() == [1])
  }

  @Test("The tables of objects are added to those of a template")
  func objects() async throws {
    let template = WorkspaceTemplate.text(of: try await file())
    let schema = schema(template, objects: [Note.self])
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    let tables = try tables(workspace)
    #expect(tables.isSuperset(of: ["lease_record", "number", "mark", "note"]))
  }

  @Test("A template of a newer version or of another program is refused like such a file")
  func foreign() async throws {
    let newer = WorkspaceTemplate.text(of: try await file(.numbersTwo))
    #expect(throws: WorkspaceError.self) {
      try OpenWorkspace.open(at: directory.workspace, schema: schema(newer), mode: .readWrite)
    }
    let text = WorkspaceTemplate.text(of: try await file(WorkspaceSchema(applicationID: 77)))
    #expect(throws: WorkspaceError.self) {
      try OpenWorkspace.open(at: directory.path + "/other", schema: schema(text), mode: .readWrite)
    }
  }

  @Test("Concurrent creators of a workspace all get the same one")
  func atOnce() async throws {
    let schema = schema(WorkspaceTemplate.text(of: try await file()))
    for round in 0..<10 {
      let path = directory.path + "/\(round)/space"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let workspace = try OpenWorkspace.open(at: path, schema: schema, mode: .readWrite)
            try await workspace.write { db in
              try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number])
            }
            workspace.close()
          }
        }
        try await group.waitForAll()
      }
      let workspace = try OpenWorkspace.open(at: path, schema: schema, mode: .readOnly)
      #expect(try workspace.values().sorted() == Array(0..<8))
    }
  }
}
