import Foundation
import RunHistory
import Server
import Testing
import Workspace

@Suite("A host whose workspace", .timeLimit(.minutes(1)))
struct LostWorkspaceTests {
  /// Serves one run, has `change` change what is at a path, and expects the host and the run to end.
  private func expectEnd(_ change: (String) throws -> Void) async throws {
    let bench = try ServerBench { $0.drain = .seconds(3600) }
    try bench.write(
      "operations: [{ name: a, run: 'echo $$ > \(bench.directory)/pid; exec sleep 600' }]", to: "one")
    let server = try bench.server()
    let serving = Task { try await server.run() }
    let history = try bench.history()
    try await eventually { try history.currentHost()?.state == .ready }
    _ = try bench.start("one", in: history)
    var process: Int32?
    try await eventually {
      process = (try? String(contentsOfFile: bench.directory + "/pid", encoding: .utf8))
        .flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
      return process != nil
    }
    history.workspace.close()
    try change(bench.directory + "/workspace")
    await #expect {
      try await serving.value
    } throws: { error in
      if case WorkspaceError.moved = error { true } else { false }
    }
    let pid = try #require(process)
    try await eventually { kill(pid, 0) != 0 }
    #expect(bench.log.contains { $0.contains("ending 1 run, because the workspace is gone") })
  }

  @Test("is deleted ends its runs and itself")
  func deleted() async throws { try await expectEnd { try FileManager.default.removeItem(atPath: $0) } }

  @Test("is moved ends its runs and itself")
  func moved() async throws {
    try await expectEnd { try FileManager.default.moveItem(atPath: $0, toPath: $0 + "-moved") }
  }

  @Test("loses the log of its database ends its runs and itself", arguments: [["-wal", "-shm"], ["-shm"]])
  func withoutLog(files: [String]) async throws {
    try await expectEnd { workspace in
      for file in files { try FileManager.default.removeItem(atPath: workspace + "/workspace.db" + file) }
    }
  }
}
