import Foundation
import OperationsTesting
import SQLite
import Testing
import Workspace

@testable import RunHistory
@testable import RunReports

/// Values that a column of integers may contain if another program has filled it.
@Suite("Extreme numbers") struct ExtremeValueTests {
  private static let values: [Int64] = [
    .min, .min + 1, -253_402_300_800_000_000, -1, 0, 1, Int64(Int32.max), Int64(Int32.max) + 1, 1 << 53,
    253_402_300_800_000_000, .max - 1, .max,
  ]

  private static let columns: [String: [String]] = [
    "run_record": [
      "pid", "process_started", "created_at", "started_at", "ended_at", "operations", "succeeded", "failed", "skipped",
      "cancelled", "reused",
    ],
    "operation_record": ["position", "parent", "attempts", "waiting_since", "started_at", "ended_at", "result_size"],
    "attempt_record": [
      "started_at", "ended_at", "exit_code", "signal", "retry_delay", "retry_due", "pid", "pid_started", "result_size",
      "user_time", "system_time",
    ],
    "daily_tally": ["day"],
  ]

  /// Runs all queries of the history commands.
  private func look(at fixture: HistoryFixture, _ run: RunID) throws {
    let history = fixture.history
    _ = try history.runs(RunFilter(limit: 10))
    _ = try history.statistics()
    _ = try history.statistics(since: RecordTime(microseconds: 0), slices: 7)
    _ = try history.tallyPastDays()
    _ = try history.statistics()
    try history.export(RunFilter()) { _ in }
    guard let recorded = try history.loadForResume(run) else { return }
    _ = History.json(recorded)
    _ = RunTimeline(recorded, width: 40)
    _ = try RunComparison(recorded, recorded, in: history)
    _ = RunExplanation(of: recorded, pipeline: nil, operation: nil, shortID: "x")
    _ = RunExplanation(of: recorded, pipeline: nil, operation: "fetch", shortID: "x")
    _ = try? history.loadForExecution(run)
    _ = DurationText.format(from: recorded.run.startedAt, to: recorded.run.endedAt)
    _ = ClockText.ago(recorded.run.createdAt)
    _ = try history.prune(PruneRule(keep: 1), dryRun: true)
  }

  @Test("cause no failure, each in each column", arguments: columns.keys.sorted())
  func each(table: String) async throws {
    for column in Self.columns[table] ?? [] {
      let fixture = try HistoryFixture()
      let run = try await fixture.ended()
      try await fixture.ended(state: .failed)
      for value in Self.values {
        try await fixture.workspace.write { db in
          try db.execute(sql: "UPDATE OR IGNORE \(table) SET \(column) = ?", arguments: [value])
        }
        try look(at: fixture, run)
      }
    }
  }

  @Test("cause no failure in all columns at once") func together() async throws {
    var random = SeededRandom(seed: 21)
    for _ in 0..<60 {
      let fixture = try HistoryFixture()
      let run = try await fixture.ended()
      try await fixture.ended(state: .failed)
      var sql = ""
      for (table, columns) in Self.columns.sorted(by: { $0.key < $1.key }) {
        let changes = columns.map { "\($0) = \(Self.literal(Self.values.randomElement(using: &random) ?? 0))" }
        sql += "UPDATE OR IGNORE \(table) SET \(changes.joined(separator: ", "));\n"
      }
      let changes = sql
      try await fixture.workspace.write { try $0.execute(sql: changes) }
      try look(at: fixture, run)
    }
  }

  /// SQLite parses the digits of the smallest integer as a real number.
  private static func literal(_ value: Int64) -> String { value == .min ? "(-9223372036854775807 - 1)" : String(value) }

  @Test("are limited to times in the years 0 to 9999") func times() {
    #expect(RecordTime(microseconds: .min).text == "0000-01-01T00:00:00.000Z")
    #expect(RecordTime(microseconds: .max).text == "9999-12-31T23:59:59.999Z")
    #expect(RecordTime(secondsSince1970: .infinity) == RecordTime(microseconds: .max))
    #expect(RecordTime(microseconds: 0).advanced(by: .max) == RecordTime(microseconds: .max))
    #expect(RecordTime(microseconds: -1).advanced(by: .min) == RecordTime(microseconds: .min))
  }
}
