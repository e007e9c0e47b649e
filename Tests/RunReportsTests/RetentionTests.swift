import Testing
import Workspace

@testable import PipelineLanguage
@testable import RunHistory
@testable import RunReports

@Suite("Retention")
struct RetentionTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func load(_ text: String) -> LoadResult {
    PipelineLoader.load(text: text + "\noperations: [{ name: a, value: 1 }]\n", path: "p.yaml")
  }

  @Test("is read from the file")
  func reading() {
    let retention = load("retention: { keep: 20, older_than: 90d }").pipeline?.retention
    #expect(retention == PipelineDefinition.Retention(keep: 20, olderThan: .seconds(90 * 86_400)))
    #expect(load("name: x").pipeline?.retention == nil)
  }

  @Test(
    "is rejected if it is invalid",
    arguments: [
      "retention: 5", "retention: {}", "retention: { keep: -1 }", "retention: { keep: many }",
      "retention: { older_than: 0s }",
      "retention: { older_than: 90 }", "retention: { days: 3 }",
    ])
  func mistakes(text: String) {
    let result = load(text)
    #expect(result.pipeline == nil)
    #expect(result.diagnostics.count == 1)
    #expect(result.diagnostics.first?.range.start.line == 1)
  }

  @Test("is that of the latest run of each pipeline, as recorded")
  func recorded() async throws {
    func record(_ pipeline: String, _ minute: Int, _ definition: String) {
      var run = fixture.record(pipeline, at: HistoryFixture.start.advanced(by: Int64(minute) * 60_000_000))
      run.definitionHash = "\(pipeline) \(minute)"
      fixture.recorder.record(.runCreated(run, definition: definition))
      fixture.recorder.record(
        .runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(), at: HistoryFixture.start))
    }
    record("a", 0, "retention: { keep: 9 }")
    record("a", 1, "name: a\nretention: { keep: 1 } # and no operations, which nobody minds here")
    record("a", 2, "retention: { keep: 2 }")
    record("b", 0, "name: b")
    record("c", 0, "retention: { older_than: 1h }")
    record("d", 0, "retention: [")
    try await fixture.recorder.flush()
    let all = try history.retentions()
    #expect(all.map(\.pipeline) == ["a", "c"])
    #expect(all.map(\.retention) == [.init(keep: 2), .init(olderThan: .seconds(3600))])
    #expect(try history.retentions(pipeline: "[b-z]").map(\.pipeline) == ["c"])
    let rule = PruneRule(try #require(all.first?.retention), of: "a")
    #expect(try history.prune(rule).runs.count == 1)
    #expect(try history.runs().filter { $0.pipeline == "a" }.count == 2)
    let now = HistoryFixture.start.advanced(by: 3600 * 1_000_000)
    #expect(PruneRule(all[1].retention, of: "c", now: now).olderThan == HistoryFixture.start)
  }
}
