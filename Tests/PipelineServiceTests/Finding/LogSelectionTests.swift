import RunHistory
import Testing

@testable import PipelineService

@Suite("Which logs are meant") struct LogSelectionTests {
  private let fixture: HistoryFixture

  init() throws { fixture = try HistoryFixture() }

  private func names(_ selection: LogSelection, of run: RunID) -> [String] {
    selection.sources(of: run, in: fixture.history).map {
      "\($0.name) \($0.attempt) \($0.stream.rawValue)\($0.isBelow ? " below" : "")"
    }
  }

  @Test("Those of the latest attempt, of all, or of the one that is named")
  func attempts() async throws {
    let run = try await fixture.ended()
    #expect(names(LogSelection(path: []), of: run) == ["fetch 2 stdout"])
    #expect(names(LogSelection(path: [], attempt: 1), of: run) == ["fetch 1 stdout"])
    #expect(names(LogSelection(path: ["fetch"], allAttempts: true), of: run) == ["fetch 1 stdout", "fetch 2 stdout"])
    #expect(names(LogSelection(path: ["count"]), of: run) == [])
  }

  @Test("Those of a run that an operation started stand behind its own, under its name")
  func nested() async throws {
    let outer = try await fixture.ended()
    try await fixture.ended(
      "inner", at: HistoryFixture.start.advanced(by: 1_000_000), parent: .init(run: outer, operation: "count"))
    #expect(names(LogSelection(path: []), of: outer) == ["fetch 2 stdout", "count/fetch 2 stdout"])
    #expect(names(LogSelection(path: ["count"]), of: outer) == ["count/fetch 2 stdout below"])
    #expect(names(LogSelection(path: ["count", "fetch"], attempt: 1), of: outer) == ["count/fetch 1 stdout"])
  }
}
