import Foundation
import Testing
import Workspace

@Suite("A workspace that is moved while it is open") struct MovedWorkspaceTests {
  private enum Fate: CaseIterable {
    case deleted, moved, replaced, withoutLog, withoutIndexOfLog
  }

  @Test(
    "fails the flush before anything written is reported",
    arguments: Fate.allCases, [Durability.powerLoss, .process])
  private func flush(fate: Fate, durability: Durability) async throws {
    let directory = try TemporaryDirectory()
    let workspace = try OpenWorkspace.open(
      at: directory.workspace, schema: .numbers, mode: .readWrite, durability: durability)
    let writer = OrderedWriter.numbers(workspace)
    writer.append(1)
    try await writer.flushToDisk()
    let files = FileManager.default
    switch fate {
    case .deleted: try files.removeItem(atPath: directory.workspace)
    case .moved: try files.moveItem(atPath: directory.workspace, toPath: directory.workspace + "-moved")
    case .replaced:
      try files.removeItem(atPath: directory.workspace)
      try openNumbers(directory).close()
    case .withoutLog: try files.removeItem(atPath: directory.workspace + "/workspace.db-wal")
    case .withoutIndexOfLog: try files.removeItem(atPath: directory.workspace + "/workspace.db-shm")
    }
    defer { try? files.removeItem(atPath: directory.workspace + "-moved") }
    writer.append(2)
    let error = WorkspaceError.moved(path: workspace.path)
    await #expect(throws: error) { try await writer.flushToDisk() }
    #expect(throws: error) { try workspace.flushToDisk() }
    #expect(error.code == "workspace-moved")
  }

  @Test("is distinguished from a workspace without writes, or one that was closed")
  func withoutWriting() async throws {
    let directory = try TemporaryDirectory()
    try await openNumbers(directory).shutdown()
    // The shutdown deleted the log.
    let workspace = try OpenWorkspace.open(
      at: directory.workspace, schema: .numbers, mode: .readWrite, first: .reader)
    try workspace.flushToDisk()
    workspace.close()
    #expect(throws: WorkspaceError.closed(path: workspace.path)) { try workspace.flushToDisk() }
  }
}
