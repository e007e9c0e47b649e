import Testing
import Values

@testable import RunHistory

@Suite("Following one run")
struct RunFollowerTests {
  let fixture: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
  }

  /// Returns an event in one line.
  private func text(_ event: RunEvent) -> String {
    switch event {
    case .run(let run): "\(run.pipeline) \(run.state)"
    case .operation(let operation): "\(operation.name) \(operation.state)"
    case .attempt(let attempt): "attempt \(attempt.ordinal).\(attempt.number) \(attempt.state)"
    case .approval(let approval): "\(approval.operation) \(approval.state)"
    case .output, .progress, .notice: "other"
    }
  }

  @Test("a running run is reported by what changed since the last check, and by its outcome at the end")
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

  @Test("a run that has ended is reported from its beginning, with the runs that it started")
  func ended() async throws {
    let outer = try await fixture.ended("outer")
    try await fixture.ended("inner", parent: .init(run: outer, operation: "fetch"))
    var follower = RunFollower(of: outer)
    let look = try #require(try follower.changes(in: fixture.history))
    let told = look.events.map(text)
    #expect(told.first == "outer running")
    #expect(told.contains("outer succeeded"))
    #expect(told.contains("inner running"))
    let fetch = look.events.filter { event in
      switch event {
      case .operation(let operation): operation.run == outer && operation.name == "fetch"
      case .attempt(let attempt): attempt.run == outer && attempt.ordinal == 0
      default: false
      }
    }
    #expect(fetch.map(text) == ["fetch running", "attempt 0.1 failed", "attempt 0.2 succeeded", "fetch succeeded"])
    #expect(told.last == "outer succeeded")
    #expect(look.outcome?.run.id == outer)
  }

  @Test("the events of a nested run are reported between its beginning and its end, ordered by time")
  func nestedInOrder() async throws {
    func time(_ seconds: Int64) -> RecordTime {
      RecordTime(microseconds: HistoryFixture.start.microseconds + seconds * 1_000_000)
    }
    func operation(_ run: RunID, _ ordinal: Int, _ name: String, from start: Int64, to end: Int64) -> HistoryChange {
      .operation(
        OperationRecord(
          run: run, ordinal: ordinal, name: name, position: ordinal, state: .succeeded, attempts: 1,
          startedAt: time(start), endedAt: time(end)))
    }
    let outer = fixture.record("outer")
    let inner = fixture.record("inner", parent: .init(run: outer.id, operation: "deploy", attempt: 1))
    for (run, start, end) in [(outer, 0, 9), (inner, 2, 5)] as [(RunRecord, Int64, Int64)] {
      fixture.recorder.record(.runCreated(run, definition: ""))
      fixture.recorder.record(.runStarted(run.id, at: time(start)))
      fixture.recorder.record(
        .runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 1, succeeded: 1), at: time(end))
      )
    }
    fixture.recorder.record(operation(outer.id, 0, "deploy", from: 1, to: 6))
    fixture.recorder.record(operation(outer.id, 1, "beside", from: 0, to: 3))
    fixture.recorder.record(operation(outer.id, 2, "last", from: 6, to: 9))
    // At the same times as the run itself.
    fixture.recorder.record(operation(inner.id, 0, "build", from: 2, to: 5))
    fixture.recorder.record(
      .attempt(
        AttemptRecord(
          run: outer.id, ordinal: 0, number: 1, state: .succeeded, startedAt: time(1), endedAt: time(5))))
    try await fixture.recorder.flush()
    var follower = RunFollower(of: outer.id)
    let look = try #require(try follower.changes(in: fixture.history))
    #expect(
      look.events.map(text) == [
        "outer running", "beside running", "deploy running", "inner running", "build running", "beside succeeded",
        "build succeeded", "inner succeeded", "attempt 0.1 succeeded", "deploy succeeded", "last running",
        "last succeeded", "outer succeeded",
      ])
  }
}
