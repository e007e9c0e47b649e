import RunHistory
import Testing

@testable import PipelineService

@Suite("The selection of logs") struct LogSelectionTests {
  private let fixture: HistoryFixture

  init() throws { fixture = try HistoryFixture() }

  private func names(_ selection: LogSelection, of run: RunID) -> [String] {
    selection.attempts(of: run, in: fixture.history).flatMap(\.sources).map {
      "\($0.name) \($0.attempt) \($0.stream.rawValue)\($0.isBelow ? " below" : "")"
    }
  }

  @Test("Selects the latest attempt, all attempts, or the given one")
  func attempts() async throws {
    let run = try await fixture.ended()
    #expect(names(LogSelection(path: []), of: run) == ["fetch 2 stdout"])
    #expect(names(LogSelection(path: [], attempt: 1), of: run) == ["fetch 1 stdout"])
    #expect(names(LogSelection(path: ["fetch"], allAttempts: true), of: run) == ["fetch 1 stdout", "fetch 2 stdout"])
    #expect(names(LogSelection(path: ["count"]), of: run) == [])
  }

  @Test("The logs of a run that an operation started come after its own, under its name")
  func nested() async throws {
    let outer = try await fixture.ended()
    try await fixture.ended(
      "inner", at: HistoryFixture.start.advanced(by: 1_000_000), parent: .init(run: outer, operation: "count"))
    #expect(names(LogSelection(path: []), of: outer) == ["fetch 2 stdout", "count/fetch 2 stdout"])
    #expect(names(LogSelection(path: ["count"]), of: outer) == ["count/fetch 2 stdout below"])
    #expect(names(LogSelection(path: ["count", "fetch"], attempt: 1), of: outer) == ["count/fetch 1 stdout"])
  }

  @Test(
    "The logs of a loop are in the order of its items, with their labels; on request, only those of failed items")
  func items() async throws {
    let run = try await fixture.ended(items: [#""a.csv""#, #""b.csv""#], failed: [1])
    let all = LogSelection(path: ["Convert"]).attempts(of: run, in: fixture.history).flatMap(\.sources)
    #expect(all.map(\.name) == ["convert[0]", "convert[1]"])
    #expect(all.map(\.label) == ["a.csv", "b.csv"])
    #expect(all.map(\.isOneOfSeveral) == [true, true])
    let one = LogSelection(path: ["convert[b.csv]"]).attempts(of: run, in: fixture.history).flatMap(\.sources)
    #expect(one.map(\.name) == ["convert[1]"])
    #expect(one.map(\.isOneOfSeveral) == [false])
    for path in [[], ["convert"]] {
      let failed = LogSelection(path: path, onlyFailed: true)
      #expect(names(failed, of: run) == ["convert[1] 1 stdout"])
      #expect(try failed.instances(of: run, in: fixture.history).map(\.name) == ["convert[1]"])
    }
  }

  @Test("A failure counts only if no later attempt succeeded")
  func failures() async throws {
    let run = try await fixture.ended()
    #expect(names(LogSelection(path: [], onlyFailed: true), of: run) == [])
  }
}
