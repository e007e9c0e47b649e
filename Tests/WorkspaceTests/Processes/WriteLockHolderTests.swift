import Glibc
import Testing
import WorkspaceChild

@testable import Workspace

@Suite("The holder of the write lock")
struct WriteLockHolderTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openRegisters(directory.workspace, patience: .milliseconds(10))
  }

  @Test("is another process, with its ID and program, while its transaction lasts")
  func transaction() async throws {
    try await workspace.write { _ in }
    #expect(WriteLockHolder(in: directory.workspace) == nil)
    let child = try Child(["hold", directory.workspace])
    #expect(child.line() == "held")
    let holder = try #require(WriteLockHolder(in: directory.workspace))
    #expect(holder.pid == child.pid && holder.program == "WorkspaceChild" && !holder.isStopped)
    #expect(holder.words == "process \(child.pid) (WorkspaceChild)")
    #expect(
      "\(WorkspaceError.locked(path: workspace.path))"
        == "cannot write to \(workspace.path): process \(child.pid) (WorkspaceChild) holds its write lock. Wait until it ends its transaction, or end it."
    )
    child.endInput()
    #expect(child.wait() == 0)
    #expect(WriteLockHolder(in: directory.workspace) == nil)
  }

  @Test("is also a process that has locked the lock file exclusively")
  func file() throws {
    try workspace.write { _ in }
    let lock = try #require(try? OwnFile.open(WriteLock.name, in: directory.workspace, O_RDWR))
    defer { close(lock) }
    // This process does not count as blocking itself.
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(WriteLockHolder(in: directory.workspace) == nil)
    #expect(throws: WorkspaceError.locked(path: directory.workspace + "/workspace.lock")) {
      try workspace.write { _ in }
    }
  }

  @Test("is waited for as long as requested, by the clock")
  func patience() throws {
    try workspace.write { _ in }
    let child = try Child(["hold", directory.workspace])
    #expect(child.line() == "held")
    try workspace.wait(atMost: .milliseconds(400))
    #expect(workspace.longestWait == .milliseconds(400))
    let start = ContinuousClock.now
    #expect(throws: WorkspaceError.locked(path: workspace.path)) { try workspace.write { _ in } }
    #expect(start.duration(to: .now) >= .milliseconds(390))
    child.endInput()
    #expect(child.wait() == 0)
  }
}
