import RunHistory
import RunReports
import Testing
import Values

@Suite("Records as JSON") struct RecordEncodingTests {
  private func whole() async throws -> RecordedRun {
    let fixture = try HistoryFixture()
    let run = try await fixture.ended()
    return try #require(try fixture.history.loadForResume(run))
  }

  @Test("A run for display has everything that the views have, and missing values are null")
  func views() async throws {
    let object = History.json(try await whole())
    #expect(object["reason"] == .null)
    #expect(object["operations"]?[0]?["attempts"]?[0]?["result"] == .null)
    #expect(object["operations"]?[0]?["attempts"]?[1]?["result"] == .array([.int(1), .int(2)]))
    #expect(object["operations"]?[0]?["started_at"] == .string("2026-11-18T11:06:40.010Z"))
    #expect(
      object.objectValue?.keys.elements == [
        "id", "pipeline", "state", "reason", "trigger", "started_at", "ended_at", "duration_ms", "created_at", "host",
        "user", "version", "params", "definition", "path", "parent", "parent_operation", "controller", "event", "at",
        "cancelled_by", "cancelled_with", "labels", "retry_of", "operations", "approvals",
      ])
  }

  @Test("The number of attempts is `attempt_count` in runs, where `attempts` is their list, and in events")
  func attemptCount() async throws {
    let whole = try await whole()
    let operations = History.json(whole)["operations"]?.arrayValue ?? []
    #expect(operations.map { $0["attempt_count"] } == [.int(2), .int(1)])
    #expect(operations.map { $0["attempts"]?.arrayValue?.count } == [2, 1])
    let event = RunEvent.operation(try #require(whole.operations.first)).jsonValue { _, _ in nil }
    #expect(event["attempt_count"] == .int(2))
    #expect(event["attempts"] == .int(2))
  }

  @Test("The event at the end of a run has its results in the order of the pipeline")
  func result() async throws {
    let outcome = RunOutcome(run: try await whole().run, results: ["a": .int(1), "b": .int(2)])
    #expect(outcome.jsonValue(operations: ["b", "c", "a"])["results"]?.text == #"{"b":2,"a":1}"#)
    #expect(outcome.jsonValue(operations: nil)["results"]?.text == #"{"a":1,"b":2}"#)
    #expect(outcome.jsonValue(operations: nil)["operations"] == .int(2))
  }

  @Test("Every CSV column is a member of the JSON")
  func columns() async throws {
    let fixture = try HistoryFixture()
    let id = try await fixture.ended()
    let run = try #require(try fixture.history.run(id)).jsonValue()
    #expect(Set(RunRecord.columns).subtracting(run.objectValue?.keys.elements ?? []) == [])
    let statistics = try #require(try fixture.history.statistics().first).jsonValue()
    #expect(Set(DurationStatistics.columns).subtracting(statistics.objectValue?.keys.elements ?? []) == [])
  }

  @Test("An item has its label as well as its value wherever it is shown")
  func labels() async throws {
    var whole = try await whole()
    whole.operations[1].parent = 0
    whole.operations[1].item = #""in/a.csv""#
    #expect(whole.operations[1].title == "count in/a.csv")
    #expect(History.json(whole)["operations"]?[1]?["label"] == "in/a.csv")
    #expect(History.json(whole)["operations"]?[0]?["label"] == .null)
    let event = RunEvent.operation(whole.operations[1]).jsonValue { _, _ in nil }
    #expect(event["label"] == "in/a.csv")
    let explanation = RunExplanation(of: whole, pipeline: nil, operation: "count", shortID: "x")
    #expect(explanation.jsonValues()[0]["label"] == "in/a.csv")
    #expect(RunTimeline(whole, width: 10).rows.map(\.label) == [nil, "in/a.csv"])
  }

  @Test("Suggested commands quote items for any shell")
  func commands() async throws {
    var whole = try await whole()
    whole.run.state = .failed
    whole.operations[1].name = "count[3]"
    whole.operations[1].parent = 0
    whole.operations[1].state = .failed
    whole.operations[1].error = RecordedError(code: "exit", message: "exited with code 1")
    let explanation = RunExplanation(of: whole, pipeline: nil, operation: "count[3]", shortID: "x")
    #expect(explanation.entries[0].remedies == ["penstock logs x 'count[3]'", "penstock retry x"])
  }
}
