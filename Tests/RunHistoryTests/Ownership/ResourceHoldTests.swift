import Testing
import Workspace

@testable import RunHistory

@Suite("Resources shared by all processes of a workspace")
struct ResourceHoldTests {
  let fixture: HistoryFixture
  private var history: History { fixture.history }
  private let run = RunID.generate()

  init() throws {
    fixture = try HistoryFixture()
    try fixture.history.declare(resources: ["GPU": 2, "disk": 1])
  }

  private func take(
    _ shares: [ResourceHolds.Share], owner: ProcessIdentity = .current
  ) throws -> (outcome: ResourceHolds.Outcome, gone: [ResourceHolds.Holder]) {
    try history.workspace.write {
      try ResourceHolds.take(shares, for: run, operation: "train", owner: owner, at: HistoryFixture.start, in: $0)
    }
  }

  private func granted(_ shares: [ResourceHolds.Share], owner: ProcessIdentity = .current) throws -> [Int64]? {
    if case .granted(let numbers) = try take(shares, owner: owner).outcome { numbers } else { nil }
  }

  @Test("are acquired all together or not at all, ignoring case")
  func together() throws {
    let first = try #require(try granted([.init("gpu", 1), .init("Disk", 1)]))
    #expect(first.count == 2)
    guard case .held(let holders) = try take([.init("gpu", 1), .init("disk", 1)]).outcome else {
      Issue.record("it was taken")
      return
    }
    #expect(holders.map(\.share) == [.init("disk", 1)])
    #expect(holders.map(\.operation) == ["train"])
    #expect(try fixture.rows("SELECT sum(held) FROM resources") == [[.int(2)]])
    try history.workspace.write { try ResourceHolds.release(first, in: $0) }
    #expect(try granted([.init("gpu", 2), .init("disk", 1)]) != nil)
  }

  @Test("are refused if the request exceeds the total")
  func exceeded() throws {
    guard case .exceeded(let share, let amount) = try take([.init("gpu", 3)]).outcome else {
      Issue.record("it was taken")
      return
    }
    #expect((share.resource, share.amount, amount) == ("gpu", 3, 2))
  }

  @Test("are free when the process that holds them no longer exists, and the former holder is reported")
  func gone() throws {
    let gone = ProcessIdentity(boot: ProcessIdentity.current.boot, pid: .max, started: 1)
    #expect(try granted([.init("gpu", 2)], owner: gone) != nil)
    let (outcome, holders) = try take([.init("gpu", 1)])
    guard case .granted = outcome else {
      Issue.record("it was not taken")
      return
    }
    #expect(holders.map(\.owner) == [gone])
    #expect(holders.map(\.share) == [.init("gpu", 2)])
    #expect(try fixture.rows("SELECT held FROM resources WHERE name = 'GPU'") == [[.int(1)]])
  }

  @Test("that are not declared have no limit")
  func undeclared() throws {
    #expect(try granted([.init("other", 1000)]) == [])
    try history.declare(resources: [:])
    #expect(try granted([.init("gpu", 1000)]) == [])
    #expect(try history.resources().isEmpty)
  }

  @Test("are those that the latest host declared")
  func declared() throws {
    #expect(try history.resources() == ["gpu": 2, "disk": 1])
    try history.declare(resources: ["gpu": 3])
    #expect(try history.resources() == ["gpu": 3])
  }
}
