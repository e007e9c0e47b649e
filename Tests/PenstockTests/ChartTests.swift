import RunHistory
import Testing

@testable import penstock

@Suite("Character charts")
struct ChartTests {
  private static let start = RecordTime(microseconds: 1_795_000_000_000_000)

  private func recorded() throws -> RecordedRun {
    let run = RunID.generate()
    let operations = ["a", "an operation with a name that is far too long to be shown whole"].enumerated().map {
      OperationRecord(
        run: run, ordinal: $0, name: $1, position: $0, state: .succeeded, startedAt: Self.start,
        endedAt: Self.start.advanced(by: 2_000_000))
    }
    let record = RunRecord(id: run, pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    return RecordedRun(run: record, definition: "", operations: operations, attempts: [], approvals: [])
  }

  @Test("a timeline fills the terminal's width and no more", arguments: [20, 30, 40, 60, 80, 100, 200])
  func width(columns: Int) throws {
    let lines = TimelineText(style: .plain, width: columns).render(try recorded()).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.map(\.count).max() == columns)
  }

  @Test("a timeline uses colors and non-ASCII characters only if they are supported")
  func plain() throws {
    let text = TimelineText(style: Style(isColored: false, isUnicode: false), width: 60).render(try recorded())
    #expect(text.contains("##########") && !text.contains("\u{1B}") && !text.contains("█"))
  }

  @Test("a run in which nothing has begun has no timeline")
  func nothing() throws {
    var recorded = try recorded()
    recorded.operations = []
    #expect(TimelineText(style: .plain, width: 80).render(recorded) == "")
  }

  @Test(
    "a spark line is scaled to the maximum",
    arguments: [
      ([1, 2, nil, 8] as [Double?], "▂▃ █"), ([0, 0], "▁▁"), ([], ""), ([nil], " "), ([7], "█"), ([0.5, 100], "▁█"),
    ])
  func sparkLine(values: [Double?], text: String) {
    #expect(SparkLine.text(values, isUnicode: true) == text)
  }

  @Test("a spark line uses ASCII characters if bars are not supported")
  func asciiSparkLine() {
    #expect(SparkLine.text([0, 50, 100], isUnicode: false) == ".=#")
  }
}
