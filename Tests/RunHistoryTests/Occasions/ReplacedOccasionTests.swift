import RunHistory
import Testing
import Workspace

@Suite("An occasion whose run replaces others")
struct ReplacedOccasionTests {
  let fixture: HistoryFixture
  let start = HistoryFixture.start

  init() throws { fixture = try HistoryFixture() }

  /// Admits a run with `overlap: cancel` and returns its id.
  private func admit(
    _ pipeline: String = "digest", startBy: RecordTime? = nil, at time: RecordTime? = nil
  ) async throws -> RunID {
    let run = QueuedRun(record: fixture.record(pipeline), definition: "name: \(pipeline)", startBy: startBy)
    let occasion = Occasion(pipeline: pipeline, cause: .event, controller: "cron", askedAt: time ?? start)
    _ = try await fixture.recorder.admit(OccasionRequest(occasion, run: run, overlap: .cancel))
    return run.record.id
  }

  private func take() async throws -> [RunID] {
    try await fixture.recorder.takeQueued(
      QueueTurns.Places(total: 1), held: [], single: [], host: "box", at: start
    ).map(\.run.id)
  }

  @Test("does not replace a run that is too late, which is skipped instead")
  func tooLate() async throws {
    let first = try await admit(startBy: start)
    let second = try await admit(at: start.advanced(by: 1))
    #expect(try fixture.history.run(first)?.reason == "too-late")
    #expect(try fixture.history.queue().map(\.run) == [second])
  }

  @Test("replaces a run that its host had taken and gives up")
  func givenUp() async throws {
    let first = try await admit()
    #expect(try await take() == [first])
    let second = try await admit()
    let canceller = RunCanceller(who: second.text, means: .overlap)
    try fixture.history.request(.cancel, of: first, for: canceller, at: start)
    try await fixture.recorder.giveUp(first)
    let found = try #require(try fixture.history.occasions().first { $0.run == first })
    #expect((found.outcome, found.reason) == (.replaced, .overlap))
    #expect(try fixture.history.run(first)?.canceller == canceller)
    #expect(try fixture.history.queue().map(\.run) == [second])
  }

  @Test("replaces earlier runs, never a later one")
  func order() async throws {
    let first = try await admit()
    #expect(try await take() == [first])
    let second = try await admit()
    #expect(try await take() == [second])
    // The process of the first run has ended, and the run waits again.
    try await fixture.recorder.giveUp(first)
    #expect(try fixture.history.successors(of: [first, second]) == [:])
    #expect(try fixture.history.activeRuns(of: "digest", except: first).map(\.id) == [])
    fixture.recorder.record(.runStarted(second, at: start))
    try await fixture.recorder.flush()
    let active = try fixture.history.activeRuns(of: "digest", except: first)
    #expect(active.map(\.id) == [second] && active.map(\.isLater) == [true])
    let (third, other) = (try await admit(), try await admit("other"))
    #expect(try fixture.history.successors(of: [second, third, other]) == [second: third])
    // The process of the second run has ended, too.
    try await fixture.recorder.giveUp(second)
    #expect(try fixture.history.interruptedRuns(of: "digest", before: first).map(\.id) == [])
    #expect(try fixture.history.interruptedRuns(of: "digest", before: third).map(\.id) == [second])
    #expect(try fixture.history.interruptedRuns(of: "other", before: other).map(\.id) == [])
  }
}
