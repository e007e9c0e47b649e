import RunHistory
import Testing

@testable import PipelineService

@Suite("The location of logs that a run does not have") struct LogWhereaboutsTests {
  private let fixture: HistoryFixture
  private var reference: RunReference { RunReference(history: fixture.history) }

  init() throws { fixture = try HistoryFixture() }

  private func sentences(_ path: [String], of run: RunID) throws -> [String] {
    let instances = try LogSelection(path: path).instances(of: run, in: fixture.history)
    return LogWhereabouts(of: try reference.find(run.text), in: reference).sentences(for: instances)
  }

  @Test("The logs of reused items are in the run that they come from")
  func reused() async throws {
    let items = [#""a.csv""#, #""b.csv""#, #""c.csv""#]
    let first = try await fixture.ended(items: items, failed: [1])
    let second = try await fixture.ended(items: items, failed: [1], reusedFrom: first)
    let short = reference.short(first)
    #expect(
      try sentences(["convert"], of: second) == [
        "2 items of 'convert' were reused from run \(short): penstock logs \(short) convert"
      ])
    #expect(
      try sentences(["convert[c.csv]"], of: second) == [
        "'convert[2] c.csv' was reused from run \(short): penstock logs \(short) 'convert[2]'"
      ])
    #expect(try sentences(["convert[1]"], of: second) == [])
    #expect(try sentences(["convert"], of: first) == [])
  }

  @Test("A pruned run no longer has them")
  func pruned() async throws {
    let gone = try #require(RunID("5k2m0c8v1a7p"))
    let run = try await fixture.ended(items: ["1"], reusedFrom: gone)
    #expect(
      try sentences([], of: run) == [
        "'convert[0] 1' was reused from run 5k2m0c8v, which is no longer in this workspace"
      ])
  }
}
