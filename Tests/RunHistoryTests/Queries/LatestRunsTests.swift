import Testing

@testable import RunHistory

@Suite("The latest runs of a pipeline")
struct LatestRunsTests {
  private let fixture: HistoryFixture

  init() throws { fixture = try HistoryFixture() }

  @Test("have as latest success the run that ended last, not the one that began last")
  func success() async throws {
    let start = HistoryFixture.start
    let runs = LatestRuns(history: fixture.history)
    #expect(runs.latestSuccess(of: "digest") == nil)
    let long = fixture.record(at: start)
    let short = fixture.record(at: start.advanced(by: 1_000_000))
    for run in [long, short] {
      fixture.recorder.record(.runCreated(run, definition: ""))
      fixture.recorder.record(.runStarted(run.id, at: run.createdAt))
    }
    func end(_ run: RunRecord, _ state: RunState, after microseconds: Int64) async throws {
      fixture.recorder.record(
        .runEnded(
          run.id, state: state, reason: nil, canceller: nil, counts: RunCounts(), at: start.advanced(by: microseconds)))
      try await fixture.recorder.flush()
    }
    try await end(short, .succeeded, after: 2_000_000)
    #expect(runs.latestSuccess(of: "digest")?.id == short.id)
    // However many runs begin after the long one.
    for number in 0..<120 {
      try await fixture.ended("digest", at: start.advanced(by: 3_000_000 + Int64(number) * 1000))
    }
    try await end(long, .succeeded, after: 9_000_000)
    #expect(runs.latestSuccess(of: "digest")?.id == long.id)
    #expect(runs.latest(of: "digest", in: [.succeeded])?.id != long.id)
  }
}
