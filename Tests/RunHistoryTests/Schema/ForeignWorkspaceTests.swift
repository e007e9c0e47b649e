import Foundation
import Glibc
import SQLite
import Testing
import Workspace

@testable import RunHistory

@Suite("A workspace from another user or program") struct ForeignWorkspaceTests {
  private func reopened(_ fixture: HistoryFixture, _ mode: OpenWorkspace.Mode = .readWrite) -> WorkspaceError? {
    do throws(WorkspaceError) {
      try History.open(at: fixture.directory, mode: mode).workspace.close()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "is not written to if its schema contains anything that is not Penstock's",
    arguments: [
      ("CREATE TRIGGER t AFTER INSERT ON run_record BEGIN DELETE FROM run_record; END", "the trigger 't'"),
      ("CREATE VIEW v AS SELECT 1", "the view 'v'"),
      ("CREATE TABLE run_extra (x)", "the table 'run_extra'"),
      ("CREATE INDEX i ON run_record (hex(zeroblob(length(id))))", "the index 'i'"),
      (
        "DROP TRIGGER tally_after_insert; CREATE TRIGGER tally_after_insert AFTER INSERT ON run_record BEGIN SELECT 1; END",
        "the trigger 'tally_after_insert'"
      ),
      ("DROP VIEW runs; CREATE VIEW runs AS SELECT 1", "the view 'runs'"),
      (
        "DROP TABLE request; CREATE TABLE request (number INTEGER PRIMARY KEY CHECK (length(hex(zeroblob(9))) > 1))",
        "the table 'request'"
      ),
    ])
  func schema(sql: String, what: String) throws {
    let fixture = try HistoryFixture()
    try fixture.workspace.write { try $0.execute(sql: sql) }
    fixture.workspace.close()
    let expected = WorkspaceError.untrusted(
      path: fixture.directory + "/workspace.db", reason: "it contains \(what), which does not belong to Penstock")
    #expect(reopened(fixture) == expected)
    #expect(throws: expected) {
      try OpenWorkspace.open(
        at: fixture.directory, schema: HistorySchema.schema, mode: .readWrite, first: .writer)
    }
    #expect(reopened(fixture, .readOnly) == nil)
  }

  @Test("is written to if the schema is Penstock's, with or without SQLite's statistics") func own() throws {
    let fixture = try HistoryFixture()
    try fixture.workspace.write { try $0.execute(sql: "ANALYZE") }
    fixture.workspace.close()
    #expect(reopened(fixture) == nil)
  }

  @Test("is not written to if it belongs to another user", .enabled(if: geteuid() == 0)) func owner() throws {
    let fixture = try HistoryFixture()
    fixture.workspace.close()
    #expect(chown(fixture.directory + "/workspace.db", 65_534, 65_534) == 0)
    #expect(
      reopened(fixture)
        == .untrusted(
          path: fixture.directory + "/workspace.db", reason: "it belongs to user 65534, and you are user 0"))
    #expect(reopened(fixture, .readOnly) == nil)
  }

  @Test("is not written to if its directory of runs belongs to another user", .enabled(if: geteuid() == 0))
  func ownerOfRuns() throws {
    let fixture = try HistoryFixture()
    fixture.workspace.close()
    let runs = fixture.directory + "/runs"
    try FileManager.default.createDirectory(atPath: runs, withIntermediateDirectories: true)
    #expect(reopened(fixture) == nil)
    #expect(chown(runs, 65_534, 65_534) == 0)
    let reason = "it belongs to user 65534, and you are user 0"
    #expect(reopened(fixture) == .untrusted(path: runs, reason: reason))
    #expect(reopened(fixture, .readOnly) == nil)
    var findings: [Checkup.Finding] = []
    Checkup(of: WorkspaceLocation(path: fixture.directory, origin: .option)).run { findings.append($0) }
    #expect(
      findings.filter { $0.subject == "permissions" }.first
        == Checkup.Finding(
          grade: .fail, subject: "permissions",
          message: "\(runs): \(reason); no run can be recorded until you own it or remove it"
        ))
  }

  @Test("is not written to if its directory of runs is a symbolic link") func linkOfRuns() throws {
    let fixture = try HistoryFixture()
    fixture.workspace.close()
    let runs = fixture.directory + "/runs"
    try? FileManager.default.removeItem(atPath: runs)
    #expect(symlink("/tmp", runs) == 0)
    #expect(reopened(fixture) == .untrusted(path: runs, reason: "it is not a directory"))
  }

  @Test("is not created in another user's directory", .enabled(if: geteuid() == 0)) func ownerOfDirectory() throws {
    let directory = NSTemporaryDirectory() + "penstock-foreign-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(chown(directory, 65_534, 65_534) == 0)
    #expect(
      throws: WorkspaceError.untrusted(path: directory, reason: "it belongs to user 65534, and you are user 0")
    ) { try History.open(at: directory, mode: .readWrite) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
  }

  @Test("is rejected if one of SQLite's files is a FIFO", arguments: ["", "-wal", "-shm", "-journal"])
  func fifo(suffix: String) throws {
    let fixture = try HistoryFixture()
    fixture.workspace.close()
    let path = fixture.directory + "/workspace.db" + suffix
    unlink(path)
    #expect(mkfifo(path, 0o600) == 0)
    let expected = WorkspaceError.notAWorkspace(
      path: fixture.directory, reason: "workspace.db\(suffix) is not a regular file")
    #expect(reopened(fixture) == expected)
    #expect(reopened(fixture, .readOnly) == expected)
  }

  @Test(
    "yields no result from outside the directory of a run",
    arguments: ["../../x", "/etc/passwd", "runs/ID/../x", "runs/ID/.x"])
  func results(path: String) async throws {
    let fixture = try HistoryFixture()
    let run = try await fixture.ended(state: .failed)
    let path = path.replacing("ID", with: run.text)
    try await fixture.workspace.write { db in
      try db.execute(
        sql: "UPDATE operation_record SET result = NULL, result_file = ?, result_size = 5 WHERE name = 'fetch'",
        arguments: [path])
    }
    #expect(
      throws: WorkspaceError.unreadable(
        path: fixture.workspace.path, field: "result_file of 'fetch'", value: "'\(path)'")
    ) { try fixture.history.loadForExecution(run) }
    #expect(try fixture.history.loadForResume(run) != nil)
  }

  @Test("yields no result through a symbolic link") func links() async throws {
    let fixture = try HistoryFixture()
    let run = try await fixture.ended(state: .failed)
    let runs = fixture.directory + "/runs"
    try FileManager.default.createDirectory(atPath: runs, withIntermediateDirectories: true)
    try await fixture.workspace.write { db in
      try db.execute(
        sql: "UPDATE operation_record SET result = NULL, result_file = ?, result_size = 5 WHERE name = 'fetch'",
        arguments: ["runs/\(run)/passwd"])
    }
    // A missing result is reported only when it is needed.
    #expect(try fixture.history.loadForExecution(run) != nil)
    #expect(symlink("/etc", "\(runs)/\(run)") == 0)
    #expect(throws: WorkspaceError.self) { try fixture.history.loadForExecution(run) }
    unlink("\(runs)/\(run)")
    try FileManager.default.createDirectory(atPath: "\(runs)/\(run)", withIntermediateDirectories: true)
    #expect(symlink("/etc/passwd", "\(runs)/\(run)/passwd") == 0)
    #expect(throws: WorkspaceError.self) { try fixture.history.loadForExecution(run) }
    unlink("\(runs)/\(run)/passwd")
    #expect(mkfifo("\(runs)/\(run)/passwd", 0o600) == 0)
    #expect(throws: WorkspaceError.self) { try fixture.history.loadForExecution(run) }
  }
}
