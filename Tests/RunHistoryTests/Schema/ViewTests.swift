import RunHistory
import SQLite
import Testing
import Workspace

@Suite("The public views")
struct ViewTests {
  let fixture: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
  }

  /// Names never change. A new column is appended, here and in the view.
  @Test(
    "have stable columns",
    arguments: [
      (
        "runs",
        """
        id pipeline state reason trigger started_at ended_at duration_ms created_at host user version params definition path \
        parent parent_operation operations succeeded failed skipped cancelled reused pid controller event at cancelled_by cancelled_with labels
        """
      ),
      (
        "operations",
        """
        run operation position parent item state reason error attempts waiting_since started_at ended_at duration_ms result \
        result_file reused_from fingerprint error_code detail
        """
      ),
      (
        "attempts",
        """
        run operation number state started_at ended_at duration_ms exit_code signal error error_code result stdout_file \
        stderr_file retry_delay_ms wake_cause pid executor handle user_ms system_ms
        """
      ),
      (
        "failures",
        "run pipeline operation error_code error ended_at attempts exit_code signal stdout_file stderr_file"
      ),
      ("durations", "pipeline operation runs average_ms p50_ms p95_ms max_ms"),
      ("approvals", "run operation state message requested_at answered_at note who"),
      ("leases", "name holder fence pid acquired_at"),
      ("resources", "name amount held holders"),
      ("gates", "run pipeline operation formula state reason waiting_since opened_at due"),
      ("events", "run pipeline operation attempt event at reason"),
      ("occasions", "pipeline cause controller instant asked_at outcome reason run late_ms asked_by detail"),
      ("queue", "run pipeline queue priority asked_at start_by taken_at"),
      ("hosts", "host pid user version state started_at ready_at ended_at configuration"),
      (
        "pipelines",
        """
        name path state reason next_at next_cause last_run last_state failing_since paused_by paused_until queue priority \
        description labels loaded_at causes
        """
      ),
      ("audit", "time who how what on_what detail"),
      ("specifications", "pipeline name formula value since reason"),
      ("specification_changes", "pipeline name formula value at reason"),
    ])
  func columns(view: String, columns: String) throws {
    let query = try fixture.history.sql("SELECT * FROM \(view)")
    #expect(query.columns.joined(separator: " ") == columns)
    #expect(HistorySchema.publicViews.contains(view))
  }

  @Test("are exactly the views of the schema") func all() throws {
    let names = try fixture.history.workspace.read { db in
      try Row.fetchAll(db.cachedStatement(sql: "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"))
        .map { $0[0] as String }
    }
    #expect(names == HistorySchema.publicViews.sorted())
  }

  @Test(
    "show the same millisecond as other output, also before 1970",
    arguments: [
      (1_795_000_000_122_948, "2026-11-18T11:06:40.122Z"), (-1500, "1969-12-31T23:59:59.998Z"),
      (-1_000_000, "1969-12-31T23:59:59.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (0, "1970-01-01T00:00:00.000Z"),
    ])
  func cut(microseconds: Int64, text: String) async throws {
    let time = RecordTime(microseconds: microseconds)
    try await fixture.ended(at: time)
    #expect(try fixture.rows("SELECT created_at FROM runs") == [[.text(text)]])
    #expect(try fixture.rows("SELECT at FROM events WHERE event = 'created'") == [[.text(text)]])
    #expect(time.text == text)
  }

  @Test("list the events in order, for every attempt")
  func events() async throws {
    try await fixture.ended(state: .failed)
    let events = try fixture.rows(
      "SELECT ifnull(operation, '-') || ' ' || ifnull(attempt, '-') || ' ' || event FROM events ORDER BY at, event")
    #expect(events.first == [.text("- - created")])
    #expect(events.last == [.text("- - failed")])
    #expect(events.contains([.text("fetch 1 failed")]) && events.contains([.text("fetch 2 started")]))
  }

  @Test("report for each wait for a condition whether it is waiting, open or closed")
  func gates() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    let began = RecordTime(microseconds: 1_795_000_000_122_000)
    let gate = OpenedGate(
      formula: "idle", since: began, openedAt: began.advanced(by: 19_878_000), openedBy: "busy is false")
    let details = [
      OperationReason.detail(
        .gate(OperationReason.Specification(formula: "idle", why: "busy is true", since: began))),
      OperationReason.detail(nil, gate: gate),
      OperationReason.detail(.gate(OperationReason.Specification(formula: "idle", why: "busy is true"))),
      OperationReason.detail(.items(3)),
    ]
    for (ordinal, detail) in details.enumerated() {
      var record = OperationRecord(
        run: run.id, ordinal: ordinal, name: "o\(ordinal)", position: ordinal,
        state: ordinal == 0 ? .waiting : ordinal == 2 ? .skipped : .succeeded)
      record.detail = detail?.text
      fixture.recorder.record(.operation(record))
    }
    try await fixture.recorder.flush()
    #expect(
      try fixture.rows("SELECT operation, state, formula, reason, opened_at FROM gates ORDER BY operation") == [
        [.text("o0"), .text("waiting"), .text("idle"), .text("busy is true"), .null],
        [.text("o1"), .text("open"), .text("idle"), .text("busy is false"), .text("2026-11-18T11:07:00.000Z")],
        [.text("o2"), .text("closed"), .text("idle"), .text("busy is true"), .null],
      ])
  }

  @Test("show times as ISO 8601 in UTC, and durations in milliseconds")
  func times() async throws {
    let run = try await fixture.ended(at: RecordTime(microseconds: 1_795_000_000_123_000))
    #expect(
      try fixture.rows("SELECT id, created_at, started_at, ended_at, duration_ms, path, definition FROM runs") == [
        [
          .text(run.text), .text("2026-11-18T11:06:40.123Z"), .text("2026-11-18T11:06:40.124Z"),
          .text("2026-11-18T11:06:40.153Z"), .double(29), .text("/p/digest.yaml"), .text("hash-of-digest"),
        ]
      ])
    #expect(RecordTime(microseconds: 1_795_000_000_123_000).text == "2026-11-18T11:06:40.123Z")
  }

  @Test("show attempts, with the operation's result on the attempt that produced it")
  func attempts() async throws {
    let run = try await fixture.ended()
    #expect(
      try fixture.rows("SELECT run, operation, number, state, exit_code, error, result, retry_delay_ms FROM attempts")
        == [
          [
            .text(run.text), .text("fetch"), .int(1), .text("failed"), .int(7), .text("exit code 7"), .null,
            .double(250),
          ],
          [.text(run.text), .text("fetch"), .int(2), .text("succeeded"), .int(0), .null, .text("[1,2]"), .null],
          [.text(run.text), .text("count"), .int(1), .text("succeeded"), .int(0), .null, .text("2"), .null],
        ])
  }

  @Test("show failures with their last attempt, and durations with percentiles")
  func failuresAndDurations() async throws {
    let run = try await fixture.ended(state: .failed)
    #expect(
      try fixture.rows("SELECT run, pipeline, operation, error_code, attempts, exit_code FROM failures") == [
        [.text(run.text), .text("digest"), .text("count"), .text("exit-code"), .int(1), .int(1)]
      ])
    #expect(
      try fixture.rows("SELECT * FROM durations") == [
        [.text("digest"), .text("fetch"), .int(1), .double(15), .double(15), .double(15), .double(15)]
      ])
    let loop = fixture.record("loop")
    fixture.recorder.record(.runCreated(loop, definition: ""))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: loop.id, ordinal: 500, name: "item", position: 0, state: .succeeded, startedAt: HistoryFixture.start,
          endedAt: HistoryFixture.start.advanced(by: 5_050_000))))
    for index in 0..<100 {
      let start = HistoryFixture.start
      fixture.recorder.record(
        .operation(
          OperationRecord(
            run: loop.id, ordinal: index, name: "item[\(index)]", position: 0, state: .succeeded, startedAt: start,
            endedAt: start.advanced(by: Int64(index + 1) * 1000))))
    }
    try await fixture.recorder.flush()
    #expect(
      try fixture.rows("SELECT * FROM durations WHERE pipeline = 'loop'") == [
        // The durations of items do not count towards their loop.
        [.text("loop"), .text("item"), .int(1), .double(5050), .double(5050), .double(5050), .double(5050)],
        [.text("loop"), .text("item[*]"), .int(100), .double(50.5), .double(50), .double(95), .double(100)],
      ])
    let statistics = try fixture.history.statistics(pipeline: "loop")
    #expect(statistics.map(\.operation) == [nil, "item", "item[*]"])
    #expect(statistics[1].count == 1 && statistics[1].p50Milliseconds == 5050)
    #expect(try fixture.history.statistics(operation: "item").map(\.operation) == ["item", "item[*]"])
    #expect(try fixture.history.statistics(operation: "item[*]").map(\.count) == [100])
    #expect(statistics.last?.count == 100 && statistics.last?.succeeded == 100)
    #expect(statistics.last?.averageMilliseconds == 50.5 && statistics.last?.p50Milliseconds == 50)
    #expect(statistics.last?.p95Milliseconds == 95 && statistics.last?.maximumMilliseconds == 100)
  }

  @Test("can only be read, within a step limit")
  func readOnly() async throws {
    try await fixture.ended()
    #expect(throws: GuardedQueryError.self) { try fixture.history.sql("DELETE FROM run_record") }
    #expect(throws: GuardedQueryError.self) { try fixture.history.sql("PRAGMA user_version") }
    let endless = try fixture.history.sql(
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c", stepLimit: 10_000)
    #expect(throws: GuardedQueryError.tooLong(steps: 10_000)) { try endless.next() }
  }
}
