import OperationsTesting
import PluginHost
import Synchronization
import Testing
import Workspace

@testable import PipelineEngine

@Suite("A value that a plugin has stored")
struct WorkspacePluginStorageTests {
  private let delayer = ManualDelayer()

  @Test(
    "is read once that is possible",
    arguments: [
      WorkspaceError.locked(path: "w"), .full(path: "w"), .io(path: "w", code: 24, message: "Too many open files"),
    ])
  func passing(failure: WorkspaceError) async throws {
    let failures = Mutex(2)
    let reading = Task { [delayer] in
      try await WorkspacePluginStorage.read(waiting: delayer) { () throws(WorkspaceError) in
        let fails = failures.withLock { count in
          defer { count -= 1 }
          return count > 0
        }
        if fails { throw failure }
        return "2026-12-09"
      }
    }
    for _ in 0..<2 {
      _ = await delayer.begins()
      delayer.endOne()
    }
    #expect(try await reading.value == "2026-12-09")
  }

  @Test("is unavailable if waiting does not help")
  func lasting() async {
    await #expect(throws: PluginAccessError.unavailable) {
      try await WorkspacePluginStorage.read(waiting: delayer) { () throws(WorkspaceError) -> Int in
        throw .closed(path: "w")
      }
    }
  }
}
