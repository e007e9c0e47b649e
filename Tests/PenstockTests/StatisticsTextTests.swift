import Foundation
import RunHistory
import Testing

@testable import penstock

@Suite("Statistics as text")
struct StatisticsTextTests {
  private static let start = RecordTime(microseconds: 1_795_000_000_000_000)
  private static let day: Int64 = 86_400_000_000

  /// Returns the statistics of thirty runs, one per day, of which the last five take by far the longest; a third of the runs of an operation with a long
  /// name fail.
  private func statistics(slices: Int, operation: String? = nil) async throws -> [DurationStatistics] {
    let directory = NSTemporaryDirectory() + "statistics-text-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let history = try History.open(at: directory, mode: .readWrite)
    defer { history.workspace.close() }
    let recorder = HistoryRecorder(workspace: history.workspace)
    for number in 0..<30 {
      let time = Self.start.advanced(by: Int64(number) * Self.day)
      let end = time.advanced(by: number >= 25 ? 90_000_000 : 1_000_000)
      let run = RunRecord(
        id: .generate(), pipeline: "nightly", definitionHash: "", path: nil, host: "", user: "", version: "",
        createdAt: time)
      recorder.record(.runCreated(run, definition: ""))
      recorder.record(.runStarted(run.id, at: time))
      recorder.record(
        .operation(
          OperationRecord(
            run: run.id, ordinal: 0, name: "an-operation-with-a-long-name", position: 0,
            state: number % 3 == 0 ? .failed : .succeeded, startedAt: time, endedAt: end)))
      recorder.record(.runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 1), at: end))
    }
    try await recorder.close()
    return try history.statistics(operation: operation, slices: slices, now: Self.start.advanced(by: 29 * Self.day))
  }

  @Test("no bar is cut off by the terminal, not even the latest one", arguments: [80, 90, 100, 160])
  func width(columns: Int) async throws {
    let rows = try await statistics(slices: StatisticsText.bars(width: columns))
    let lines = StatisticsText(rows: rows, isOfOneOperation: false, style: .plain).text(width: columns)
      .split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.allSatisfy { $0.count <= columns })
    #expect(lines[1].hasPrefix("nightly ") && lines[1].hasSuffix("█"), "\(lines)")
    let bars = lines[1].filter { "▁▂▃▄▅▆▇█".contains($0) }.count
    #expect(bars >= 10 && bars == rows[0].trend.count)
  }

  @Test("a single operation is shown with its pipeline")
  func oneOperation() async throws {
    let rows = try await statistics(slices: 8, operation: "an-operation-with-a-long-name")
    let text = StatisticsText(rows: rows, isOfOneOperation: true, style: .plain)
    #expect(text.text(width: nil).contains("\nnightly / an-operation-with-a-long-name  "))
    #expect(text.flakiest(width: nil) == "\nFlakiest: an-operation-with-a-long-name of nightly (10 failed of 30)\n")
    #expect(
      text.flakiest(width: 40) == """

        Flakiest: an-operation-with-a-long-name
          of nightly (10 failed of 30)

        """)
  }

  @Test("columns that do not fit the terminal are named below the table")
  func leftOut() async throws {
    let text = StatisticsText(rows: try await statistics(slices: 8), isOfOneOperation: false, style: .plain)
    #expect(text.note(width: nil) == "")
    #expect(text.note(width: 120) == "")
    #expect(text.note(width: 80) == "Not shown in 80 columns: SUCCESS\n")
    #expect(text.note(width: 40) == "Not shown in 40 columns: SUCCESS, P50,\n  P95, MAX, TREND\n")
    #expect(text.text(width: 40).hasPrefix("PIPELINE  ENDED  OK  FAILED  OTHER …\n"))
  }
}
