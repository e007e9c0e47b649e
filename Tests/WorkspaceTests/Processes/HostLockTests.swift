import Foundation
import Glibc
import Testing

@testable import Workspace

@Suite("Hosts in other pid namespaces")
struct HostLockTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace
  /// A process of this boot, in another pid namespace, with an ID that is not used here.
  private let elsewhere = ProcessIdentity(
    boot: ProcessIdentity.currentBoot.prefix { $0 != "/" } + "/1", pid: 1, started: Int64.random(in: 1...1 << 40))

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openNumbers(directory)
    // The writer's connection creates the file.
    try workspace.write { _ in }
  }

  private var path: String { directory.workspace + "/workspace.hosts" }

  /// Holds the lock of a process in its place; closing the descriptor releases it.
  private func lock(_ process: ProcessIdentity) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    var request = Glibc.flock()
    request.l_type = Int16(F_RDLCK)
    request.l_start = Int(HostLock.place(of: process))
    request.l_len = 1
    try #require(descriptor >= 0 && fcntl(descriptor, 37, &request) == 0)
    return descriptor
  }

  @Test("A process in another pid namespace is alive while it holds its lock")
  func held() throws {
    let descriptor = try lock(elsewhere)
    #expect(elsewhere.judgement(in: directory.workspace) == .alive)
    #expect(elsewhere.isElsewhere && !elsewhere.isVisible)
    close(descriptor)
    #expect(elsewhere.judgement(in: directory.workspace) == .dead)
  }

  @Test("The lock of one process says nothing about another")
  func others() throws {
    let descriptor = try lock(elsewhere)
    defer { close(descriptor) }
    let other = ProcessIdentity(boot: elsewhere.boot, pid: elsewhere.pid, started: elsewhere.started + 1)
    #expect(other.judgement(in: directory.workspace) == .dead)
  }

  @Test("A process in another pid namespace whose state is unknown keeps what it holds")
  func unknown() throws {
    unlink(path)
    #expect(elsewhere.judgement(in: directory.workspace) == .unknown && elsewhere.isAlive(in: directory.workspace))
    guard case .granted = try workspace.write({ try Leases.acquire("disk", holder: "a", owner: elsewhere, in: $0) })
    else {
      Issue.record("not granted")
      return
    }
    guard case .held = try workspace.write({ try Leases.acquire("disk", holder: "b", in: $0) }) else {
      Issue.record("taken over")
      return
    }
  }

  @Test("A FIFO in place of the file blocks no process, and leaves the state of others unknown")
  func fifo() throws {
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(elsewhere.judgement(in: directory.workspace) == .unknown)
    #expect(throws: WorkspaceError.self) { try openNumbers(directory).write { _ in } }
  }

  @Test("This process holds its lock only while a workspace is open for writing")
  func own() throws {
    #expect(HostLock.isHeld(by: .current, in: directory.workspace) == true)
    workspace.close()
    #expect(HostLock.isHeld(by: .current, in: directory.workspace) == false)
  }

  @Test("A process of another boot has ended, whether or not its lock can be queried")
  func otherBoot() throws {
    let former = ProcessIdentity(boot: "5dd0a7ea-0b0b-4a59-a0f5-ffffffffffff/1", pid: 1, started: 1)
    #expect(former.judgement(in: directory.workspace) == .dead)
    unlink(path)
    #expect(former.judgement(in: directory.workspace) == .dead)
  }

  @Test("A process recorded by an earlier version with its boot ID alone is looked up in this namespace")
  func former() throws {
    let boot = String(ProcessIdentity.currentBoot.prefix { $0 != "/" })
    let current = ProcessIdentity.current
    #expect(
      ProcessIdentity(boot: boot, pid: current.pid, started: current.started).judgement(in: directory.workspace)
        == .alive)
    #expect(ProcessIdentity(boot: boot, pid: current.pid, started: 1).judgement(in: directory.workspace) == .dead)
  }
}
