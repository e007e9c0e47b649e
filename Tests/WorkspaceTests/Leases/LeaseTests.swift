import Foundation
import Glibc
import SQLite
import Testing
import Workspace

@Suite("Leases")
struct LeaseTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openNumbers(directory)
  }

  private func acquire(_ name: String, for holder: String, owner: ProcessIdentity = .current) throws -> LeaseOutcome {
    try workspace.write { try Leases.acquire(name, holder: holder, owner: owner, in: $0) }
  }

  private let dead = ProcessIdentity(boot: ProcessIdentity.current.boot, pid: getpid(), started: 1)

  @Test("A free lease is granted, and a held one names its holder")
  func grantAndHold() throws {
    guard case .granted(let lease) = try acquire("disk", for: "a") else {
      Issue.record("not granted")
      return
    }
    #expect(lease.fence == 1 && lease.owner == .current)
    #expect(try acquire("disk", for: "b") == .held(lease))
    guard case .granted = try acquire("other", for: "b") else {
      Issue.record("another name is another lease")
      return
    }
  }

  @Test("The fencing number increases with each grant and never decreases")
  func fencing() throws {
    for expected in 1...5 as ClosedRange<Int64> {
      guard case .granted(let lease) = try acquire("disk", for: "a") else {
        Issue.record("not granted")
        return
      }
      #expect(lease.fence == expected)
      #expect(try workspace.write { try Leases.release("disk", fence: expected - 1, in: $0) } == false)
      #expect(try workspace.write { try Leases.release("disk", fence: expected, in: $0) })
      #expect(try workspace.write { try Leases.release("disk", fence: expected, in: $0) } == false)
      #expect(try workspace.read { try Leases.current("disk", in: $0) } == nil)
    }
  }

  @Test("A lease whose owner has ended is granted to the next process, and the former owner cannot release it")
  func deadOwner() throws {
    guard case .granted(let old) = try acquire("disk", for: "a", owner: dead) else {
      Issue.record("not granted")
      return
    }
    guard case .granted(let new) = try acquire("disk", for: "b") else {
      Issue.record("a dead owner still holds")
      return
    }
    #expect(new.fence == old.fence + 1)
    #expect(try workspace.write { try Leases.release("disk", fence: old.fence, in: $0) } == false)
    #expect(try workspace.read { try Leases.current("disk", in: $0) } == new)
  }

  @Test("Leases can be queried by everyone")
  func view() throws {
    _ = try acquire("disk", for: "run x")
    let query = try GuardedQuery("SELECT name, holder, fence, pid FROM leases", on: workspace)
    #expect(try query.next() == [.text("disk"), .text("run x"), .int(1), .int(Int64(getpid()))])
    #expect(try query.next() == nil)
  }

  @Test("A process is distinguished from a later one with its ID, from one of another boot, and from a zombie")
  func identity() throws {
    let current = ProcessIdentity.current
    #expect(
      current.isAlive(in: directory.workspace) && current.pid == getpid()
        && current.boot.prefix { $0 != "/" }.count == 36)
    #expect(ProcessIdentity.running(pid: getpid()) == current)
    #expect(!dead.isAlive(in: directory.workspace))
    #expect(
      !ProcessIdentity(boot: "another", pid: current.pid, started: current.started).isAlive(in: directory.workspace))

    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/sleep")
    child.arguments = ["60"]
    try child.run()
    let identity = ProcessIdentity.running(pid: child.processIdentifier)
    #expect(identity?.isAlive(in: directory.workspace) == true)
    kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    #expect(identity?.isAlive(in: directory.workspace) == false)
  }
}
