import Foundation
import SQLite
import Testing
import Workspace

@Suite("Opening a workspace")
struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.workspace + name)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test("A new workspace is accessible only to its owner")
  func permissions() throws {
    let workspace = try openNumbers(directory)
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (1)") }
    #expect(try mode("") == 0o700)
    for file in [
      "/workspace.db", "/workspace.db-wal", "/workspace.db-shm", "/workspace.lock", "/workspace.hosts",
    ] {
      #expect(try mode(file) == 0o600, "\(file)")
    }
  }

  @Test("Committed data is there after the workspace is opened again")
  func reopen() throws {
    let workspace = try openNumbers(directory)
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (7)") }
    workspace.close()
    #expect(try openNumbers(directory).values() == [7])
    #expect(try openNumbers(directory, mode: .readOnly).values() == [7])
  }

  @Test("A relative path is resolved against the current directory")
  func relativePath() throws {
    let workspace = try openNumbers(directory)
    let steps = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }
    let relative = steps.joined(separator: "/") + directory.workspace
    let again = try OpenWorkspace.open(at: relative, schema: .numbers, mode: .readOnly)
    #expect(again.directory.hasPrefix("/"))
    _ = workspace
  }

  @Test("Opening for reading creates nothing")
  func readOnlyCreatesNothing() throws {
    #expect(throws: WorkspaceError.notAWorkspace(path: directory.workspace, reason: "there is no workspace.db in it")) {
      try openNumbers(directory, mode: .readOnly)
    }
    #expect(!FileManager.default.fileExists(atPath: directory.workspace))
  }

  @Test("A path where nothing can be created gives a typed error")
  func cannotCreate() throws {
    try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
    let error = #expect(throws: WorkspaceError.self) {
      try OpenWorkspace.open(at: directory.path + "/file/space", schema: .numbers, mode: .readWrite)
    }
    #expect(error?.code == "workspace-cannot-create")
    // A program that uses the library has no such option.
    #expect(error?.description.contains("--") == false)
  }

  @Test("Pending migrations run when the workspace is opened, and only once")
  func migrates() throws {
    try openNumbers(directory).close()
    for _ in 0..<2 {
      let workspace = try OpenWorkspace.open(at: directory.workspace, schema: .numbersTwo, mode: .readWrite)
      let columns = try workspace.read {
        try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('number') ORDER BY cid")
      }
      #expect(columns == ["place", "value", "note"])
      workspace.close()
    }
  }

  @Test("A file of a newer version is refused and not changed")
  func newerSchema() throws {
    try OpenWorkspace.open(at: directory.workspace, schema: .numbersTwo, mode: .readWrite).close()
    let before = try Data(contentsOf: URL(fileURLWithPath: directory.workspace + "/workspace.db"))
    for mode in [OpenWorkspace.Mode.readWrite, .readOnly] {
      let error = #expect(throws: WorkspaceError.self) { try openNumbers(directory, mode: mode) }
      #expect(
        error == .newerSchema(path: directory.workspace + "/workspace.db", found: 1002, known: 1001))
      #expect(error.map(String.init(describing:))?.contains("newer version") == true)
    }
    let after = try Data(contentsOf: URL(fileURLWithPath: directory.workspace + "/workspace.db"))
    #expect(before == after)
  }

  @Test(
    "A database of another program is refused and not changed, and nothing is created beside it",
    arguments: [OpenWorkspace.FirstConnection.reader, .writer, .onlyWriter])
  func foreignDatabase(first: OpenWorkspace.FirstConnection) throws {
    let path = directory.path + "/workspace.db"
    let foreign = try DatabaseQueue(path: path)
    try foreign.write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
    try foreign.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: WorkspaceError.self) {
      try OpenWorkspace.open(at: directory.path, schema: .numbers, mode: .readWrite, first: first)
    }
    #expect(error?.code == "workspace-not-found")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["workspace.db"])
  }

  @Test("A workspace opened with the writer first reads what was written, in both ways")
  func writerFirst() throws {
    try OpenWorkspace.open(at: directory.workspace, schema: .numbers, mode: .readWrite).close()
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: .numbers, mode: .readWrite, first: .writer)
    defer { workspace.close() }
    try workspace.write { try $0.execute(sql: "CREATE TABLE more (x)") }
    let names = "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"
    #expect(try workspace.readWithoutOpening { try Int.fetchOne($0, sql: names) } == 1)
    #expect(try workspace.read { try Int.fetchOne($0, sql: names) } == 1)
    // The log is short, so it is kept; no connection is closed.
    workspace.settle()
    #expect(try workspace.read { try Int.fetchOne($0, sql: names) } == 1)
  }

  @Test(
    "A short-lived program reads and writes on one connection, except for reads inside a transaction"
  )
  func onlyWriter() throws {
    try OpenWorkspace.open(at: directory.workspace, schema: .numbers, mode: .readWrite).close()
    let workspace = try OpenWorkspace.open(
      at: directory.workspace, schema: .numbers, mode: .readWrite, first: .onlyWriter)
    defer { workspace.close() }
    let count = "SELECT count(*) FROM number"
    let insertion = "INSERT INTO number (value) VALUES (1)"
    // It sees what only this connection knows.
    try workspace.write { try $0.execute(sql: "CREATE TEMP TABLE own (x)") }
    #expect(try workspace.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM own") } == 0)
    #expect(throws: WorkspaceError.locked(path: workspace.path)) {
      try workspace.read { _ in try workspace.write { try $0.execute(sql: insertion) } }
    }
    try workspace.write { db in
      try db.execute(sql: insertion)
      #expect(try workspace.read { try Int.fetchOne($0, sql: count) } == 0)
    }
    #expect(try workspace.read { try Int.fetchOne($0, sql: count) } == 1)
  }

  @Test("A file that is not a database is refused")
  func noDatabase() throws {
    try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: directory.path + "/workspace.db"))
    let error = #expect(throws: WorkspaceError.self) {
      try OpenWorkspace.open(at: directory.path, schema: .numbers, mode: .readWrite)
    }
    #expect(error?.code == "workspace-not-found")
  }

  @Test("An empty file, left by a process killed while creating it, becomes a workspace")
  func emptyFile() throws {
    try Data().write(to: URL(fileURLWithPath: directory.path + "/workspace.db"))
    let workspace = try OpenWorkspace.open(at: directory.path, schema: .numbers, mode: .readWrite)
    #expect(try workspace.values() == [])
  }

  @Test("Concurrent openers create one workspace")
  func concurrentCreation() async throws {
    let path = directory.workspace
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let workspace = try OpenWorkspace.open(at: path, schema: .numbers, mode: .readWrite)
          try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number]) }
          workspace.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try openNumbers(directory, mode: .readOnly).values().sorted() == Array(0..<8))
  }

  @Test("After closing, everything fails as closed, and closing again does nothing")
  func closed() throws {
    let workspace = try openNumbers(directory)
    workspace.close()
    workspace.close()
    #expect(throws: WorkspaceError.closed(path: workspace.path)) { try workspace.values() }
    #expect(throws: WorkspaceError.closed(path: workspace.path)) { try workspace.write { _ in } }
  }
}
