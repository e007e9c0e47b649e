import Testing
import Values

@testable import RunHistory

@Suite("Following one run")
struct RunFollowerTests {
  let fixture: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
  }

  /// An event in one line.
  private func text(_ event: RunEvent) -> String {
    switch event {
    case .run(let run): "\(run.pipeline) \(run.state)"
    case .operation(let operation): "\(operation.name) \(operation.state)"
    case .attempt(let attempt): "attempt \(attempt.ordinal).\(attempt.number) \(attempt.state)"
    case .approval(let approval): "\(approval.operation) \(approval.state)"
    case .output, .progress, .notice: "other"
    }
  }

  @Test("a run that goes on is told of by what has changed between two looks, and its outcome at the end")
  func changes() async throws {
    let run = fixture.record("release")
    var follower = RunFollower(of: run.id)
    #expect(try follower.changes(in: fixture.history) == nil)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    let running = OperationRecord(
      run: run.id, ordinal: 0, name: "fetch", position: 0, state: .running, attempts: 1, startedAt: HistoryFixture.start
    )
    fixture.recorder.record(.operation(running))
    fixture.recorder.record(
      .attempt(AttemptRecord(run: run.id, ordinal: 0, number: 1, state: .running, startedAt: HistoryFixture.start)))
    try await fixture.recorder.flush()
    let first = try #require(try follower.changes(in: fixture.history))
    #expect(first.events.map(text) == ["release running", "fetch running", "attempt 0.1 running"])
    #expect(first.outcome == nil)
    #expect(try #require(try follower.changes(in: fixture.history)).events.isEmpty)

    var done = running
    done.state = .succeeded
    done.endedAt = HistoryFixture.start
    done.result = .inline("[1,2]")
    fixture.recorder.record(.operation(done))
    fixture.recorder.record(
      .runEnded(
        run.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 1, succeeded: 1), at: HistoryFixture.start
      ))
    try await fixture.recorder.flush()
    let last = try #require(try follower.changes(in: fixture.history))
    #expect(last.events.map(text) == ["fetch succeeded", "release succeeded"])
    #expect(last.outcome?.run.state == .succeeded)
    #expect(last.outcome?.results == ["fetch": [1, 2]])
  }

  @Test("a run that has ended is told of from its beginning, with the runs that it has started")
  func ended() async throws {
    let outer = try await fixture.ended("outer")
    try await fixture.ended("inner", parent: .init(run: outer, operation: "fetch"))
    var follower = RunFollower(of: outer)
    let look = try #require(try follower.changes(in: fixture.history))
    let told = look.events.map(text)
    #expect(told.first == "outer running")
    #expect(told.contains("outer succeeded"))
    #expect(told.contains("inner running"))
    let fetch = told.filter { $0.hasPrefix("fetch") || $0.hasPrefix("attempt 0") }
    #expect(fetch.prefix(4) == ["fetch running", "attempt 0.1 failed", "attempt 0.2 succeeded", "fetch succeeded"])
    #expect(told.last == "inner succeeded")
    #expect(look.outcome?.run.id == outer)
  }
}
