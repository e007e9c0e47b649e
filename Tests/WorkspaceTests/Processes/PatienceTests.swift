import Testing
import Workspace
import WorkspaceChild

@Suite("A workspace whose log was emptied")
struct PatienceTests {
  enum Emptying: CaseIterable { case vacuum, settle, nothing }

  @Test("waits for another process as before", arguments: Emptying.allCases)
  func patience(emptying: Emptying) async throws {
    let directory = try TemporaryDirectory()
    let workspace = try openRegisters(directory.workspace, patience: .milliseconds(300))
    try await workspace.write { db in
      // A log that is worth emptying.
      try db.execute(sql: "CREATE TABLE ballast (bytes BLOB); INSERT INTO ballast VALUES (zeroblob(3000000))")
    }
    switch emptying {
    case .vacuum: try workspace.vacuum()
    case .settle: workspace.settle()
    case .nothing: break
    }
    let child = try Child(["hold", directory.workspace])
    #expect(child.line() == "held")
    let start = ContinuousClock.now
    await #expect(throws: WorkspaceError.locked(path: workspace.path)) {
      try await workspace.write { try $0.execute(sql: "DELETE FROM ballast") }
    }
    #expect(start.duration(to: .now) >= .milliseconds(250))
    // Not awaited with the workspace's patience: on a busy computer the child may take longer to end.
    child.endInput()
    #expect(child.wait() == 0)
    try await workspace.write { try $0.execute(sql: "DELETE FROM ballast") }
  }
}
