import CLibSQLite
import Foundation
import SQLite
import Testing
import Workspace

@Suite("Reading and writing")
struct WritingTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openNumbers(directory)
  }

  private struct Refusal: Error {}

  @Test("A change that throws has no effect, and its own error is rethrown")
  func rollback() throws {
    #expect(throws: Refusal.self) {
      try workspace.write { db in
        try db.execute(sql: "INSERT INTO number (value) VALUES (1)")
        throw Refusal()
      }
    }
    #expect(try workspace.values() == [])
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (2)") }
    #expect(try workspace.values() == [2])
  }

  @Test("An error of SQLite becomes the workspace's error, with path and code")
  func typedError() throws {
    let error = #expect(throws: WorkspaceError.self) { try workspace.read { try $0.execute(sql: "SELECT nonsense") } }
    guard case .io(let path, _, let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == workspace.path)
    #expect(message.contains("nonsense"))
  }

  @Test("A reader cannot write")
  func readerCannotWrite() throws {
    let error = #expect(throws: WorkspaceError.self) {
      try workspace.read { try $0.execute(sql: "DELETE FROM number") }
    }
    #expect(error == .readOnly(path: workspace.path))
  }

  @Test("Asynchronous reads and writes work like synchronous ones, even if the task is cancelled")
  func asynchronous() async throws {
    let workspace = workspace
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (3)") }
      return try await workspace.read { try Int.fetchAll($0, sql: "SELECT value FROM number") }
    }
    #expect(try await task.value == [3])
  }

  @Test("A reader sees one state of the database throughout, while another workspace object writes")
  func snapshot() throws {
    let other = try openNumbers(directory)
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (1)") }
    try workspace.read { db in
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM number") == 1)
      try other.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (2)") }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM number") == 1)
    }
    #expect(try workspace.values() == [1, 2])
  }

  @Test("Two workspace objects that write concurrently lose nothing and wait for each other")
  func twoWriters() async throws {
    let other = try openNumbers(directory)
    let first = OrderedWriter.numbers(workspace, delay: .zero, maximumBatch: 16)
    let second = OrderedWriter.numbers(other, delay: .zero, maximumBatch: 16)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for number in 0..<2000 { first.append(number) } }
      group.addTask { for number in 10_000..<12_000 { second.append(number) } }
    }
    try await first.close()
    try await second.close()
    let values = try workspace.values()
    #expect(values.filter { $0 < 10_000 } == Array(0..<2000))
    #expect(values.filter { $0 >= 10_000 } == Array(10_000..<12_000))
  }

  @Test("The writer checkpoints the write-ahead log, which does not grow endlessly")
  func checkpoints() throws {
    let block = [UInt8](repeating: 7, count: 100_000)
    try workspace.write { try $0.execute(sql: "CREATE TABLE block (number INTEGER PRIMARY KEY, bytes BLOB)") }
    for _ in 0..<200 {
      try workspace.write { try $0.execute(sql: "INSERT INTO block (bytes) VALUES (?)", arguments: [block]) }
    }
    let log = try FileManager.default.attributesOfItem(atPath: workspace.path + "-wal")[.size] as? NSNumber
    #expect((log?.intValue ?? 0) < 6 << 20)
    // At the end a long log is emptied; a short one is left for the next process.
    try workspace.write { try $0.execute(sql: "INSERT INTO block (bytes) VALUES (zeroblob(2000000))") }
    workspace.close()
    #expect(try FileManager.default.attributesOfItem(atPath: workspace.path + "-wal")[.size] as? NSNumber == 0)
    let next = try openNumbers(directory)
    try next.write { try $0.execute(sql: "INSERT INTO block (bytes) VALUES (zeroblob(100000))") }
    next.close()
    #expect(try FileManager.default.attributesOfItem(atPath: workspace.path + "-wal")[.size] as? NSNumber != 0)
    #expect(try openNumbers(directory).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM block") } == 202)
  }

  @Test("The log is not checkpointed while another process holds the write lock shared")
  func checkpointNeedsTheLock() throws {
    let lock = open(directory.workspace + "/workspace.lock", O_RDWR)
    defer { close(lock) }
    #expect(flock(lock, LOCK_SH) == 0)
    let block = [UInt8](repeating: 7, count: 1 << 20)
    try workspace.write { try $0.execute(sql: "CREATE TABLE block (bytes BLOB)") }
    for _ in 0..<10 {
      try workspace.write { try $0.execute(sql: "INSERT INTO block VALUES (?)", arguments: [block]) }
    }
    let file = try FileManager.default.attributesOfItem(atPath: workspace.path)[.size] as? NSNumber
    #expect((file?.intValue ?? .max) < 1 << 20)
    #expect(flock(lock, LOCK_UN) == 0)
    try workspace.write { try $0.execute(sql: "INSERT INTO block VALUES (?)", arguments: [block]) }
    let later = try FileManager.default.attributesOfItem(atPath: workspace.path)[.size] as? NSNumber
    #expect((later?.intValue ?? 0) > 10 << 20)
  }

  @Test("A copy of database and log, taken after any commit, opens with everything committed by then")
  func crashCopies() throws {
    for number in 0..<20 {
      try workspace.write { db in
        for value in 0..<50 {
          try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [number * 50 + value])
        }
      }
      let copy = directory.path + "/copy-\(number)"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      for file in ["workspace.db", "workspace.db-wal"] {
        try FileManager.default.copyItem(atPath: directory.workspace + "/" + file, toPath: copy + "/" + file)
      }
      let restored = try OpenWorkspace.open(at: copy, schema: .numbers, mode: .readWrite)
      #expect(try restored.values() == Array(0..<(number + 1) * 50))
      restored.close()
    }
  }

  @Test("A log cut off in the middle of a commit loses only that commit")
  func tornLog() throws {
    func logSize() throws -> Int {
      let size = try FileManager.default.attributesOfItem(atPath: workspace.path + "-wal")[.size] as? NSNumber
      return size?.intValue ?? 0
    }
    try workspace.write { try $0.execute(sql: "INSERT INTO number (value) VALUES (1)") }
    let whole = try logSize()
    try workspace.write { db in
      for value in 0..<5000 { try db.execute(sql: "INSERT INTO number (value) VALUES (?)", arguments: [value]) }
    }
    let end = try logSize()
    let log = try Data(contentsOf: URL(fileURLWithPath: workspace.path + "-wal"))
    for cut in stride(from: whole + 1, to: end, by: 7919) {
      let copy = directory.path + "/cut-\(cut)"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: workspace.path, toPath: copy + "/workspace.db")
      try log.prefix(cut).write(to: URL(fileURLWithPath: copy + "/workspace.db-wal"))
      let restored = try OpenWorkspace.open(at: copy, schema: .numbers, mode: .readWrite)
      #expect(try restored.values() == [1])
      restored.close()
    }
  }
}
