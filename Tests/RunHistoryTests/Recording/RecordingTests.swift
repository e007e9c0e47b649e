import RunHistory
import SQLite
import Testing
import Workspace

@Suite("Recording")
struct RecordingTests {
  let fixture: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
  }

  @Test("A run that starts in the transaction that creates it is recorded like one that starts later")
  func startsAtOnce() async throws {
    let recorder = fixture.recorder
    let (atOnce, later) = (fixture.record(), fixture.record())
    let started = RecordTime(microseconds: HistoryFixture.start.microseconds + 5)
    recorder.record(.runCreated(later, definition: "text"))
    try await recorder.flush()
    recorder.record(.runStarted(later.id, at: started))
    recorder.record(.runCreated(atOnce, definition: "text"))
    recorder.record(.runStarted(atOnce.id, at: started))
    try await recorder.flush()
    let columns = try await fixture.workspace.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_info('run_record') WHERE name NOT IN ('number', 'id')")
    }
    #expect(columns.count >= 30)
    let rows = try fixture.rows("SELECT \(columns.joined(separator: ", ")) FROM run_record")
    #expect(rows.count == 2 && rows.first == rows.last)
    #expect(try fixture.history.run(atOnce.id)?.state == .running)
    #expect(try fixture.history.run(atOnce.id)?.startedAt == started)
  }

  @Test("What is recorded of a run is read back")
  func roundTrip() async throws {
    let history = fixture.history
    let child = RunRecord.Parent(run: .generate(), operation: "deploy[3]")
    var run = fixture.record(parent: child)
    run.reason = "because"
    run.instant = RecordTime(microseconds: 1_790_000_000_000_001)
    run.canceller = RunCanceller(who: "ada", means: .terminal)
    fixture.recorder.record(.runCreated(run, definition: "text ✓"))
    let operation = OperationRecord(
      run: run.id, ordinal: 4_000_000_000, name: "archive[3]", position: 7, parent: 2, item: #"{"tag":"x"}"#,
      state: .failed,
      reason: "r", detail: #"{"on":"online"}"#, error: RecordedError(code: "c", message: "mé"), attempts: 3,
      waitingSince: RecordTime(microseconds: 1), startedAt: RecordTime(microseconds: 2),
      endedAt: RecordTime(microseconds: 3), result: .file(path: "results/x", size: 5_000_000_000), fingerprint: "",
      reusedFrom: .generate())
    let attempt = AttemptRecord(
      run: run.id, ordinal: 4_000_000_000, number: 1_000_000, state: .failed, startedAt: RecordTime(microseconds: 4),
      endedAt: RecordTime(microseconds: 5), exitCode: 1, signal: 9, error: RecordedError(code: "c", message: "m"),
      result: .inline("null"), standardOutput: "o", standardError: "e", retryDelay: 6,
      retryDue: RecordTime(microseconds: 7), wakeCause: "w", pid: 8, pidStarted: 9, executor: "slurm", handle: "h",
      userTime: 10, systemTime: 11)
    #expect(missingProperties(of: operation) + missingProperties(of: attempt) == [])
    fixture.recorder.record(.operation(operation))
    fixture.recorder.record(.attempt(attempt))
    try await fixture.recorder.flush()

    #expect(try history.operations(of: run.id) == [operation])
    #expect(try history.attempts(of: run.id) == [attempt])
    // Checks the columns by name: two that are swapped in both writing and reading would go unnoticed above.
    let operationColumns: [SQLValue] = [
      .text("archive[3]"), .int(7), .text(#"{"tag":"x"}"#), .text("failed"), .text("r"), .text(#"{"on":"online"}"#),
      .text("c"), .text("mé"), .int(3), .int(1), .int(2), .int(3), .text("results/x"),
      .int(5_000_000_000), .text(""),
    ]
    let operationRows = try fixture.rows(
      """
      SELECT name, position, item, state, reason, detail, error_code, error, attempts, waiting_since, started_at, ended_at,
        result_file, result_size, fingerprint FROM operation_record
      """)
    #expect(operationRows == [operationColumns])
    let attemptColumns: [SQLValue] = [
      .int(1_000_000), .text("failed"), .int(4), .int(5), .int(1), .int(9), .text("c"), .text("m"),
      .text("o"), .text("e"), .int(6), .int(7), .text("w"), .int(8), .int(9), .text("null"),
      .text("slurm"), .text("h"), .int(10), .int(11),
    ]
    let attemptRows = try fixture.rows(
      """
      SELECT number, state, started_at, ended_at, exit_code, signal, error_code, error, stdout_file, stderr_file, retry_delay,
        retry_due, wake_cause, pid, pid_started, result, executor, handle, user_time,
        system_time FROM attempt_record
      """)
    #expect(attemptRows == [attemptColumns])
    #expect(try history.attempts(of: run.id, ordinal: 4_000_000_000) == [attempt])
    #expect(try history.attempts(of: run.id, ordinal: 1) == [])
    #expect(try history.definition(of: run.id) == "text ✓")
    // The failure is that of a loop item, which does not count as an operation of the pipeline.
    run.counts = RunCounts(operations: 2)
    #expect(try history.run(run.id) == run)
    #expect(try history.run(.generate()) == nil)
  }

  @Test("A later record of an operation or attempt replaces the earlier one")
  func upsert() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    var operation = OperationRecord(run: run.id, ordinal: 0, name: "a", position: 0, state: .waiting, reason: "gate")
    var attempt = AttemptRecord(run: run.id, ordinal: 0, number: 1, state: .running, startedAt: HistoryFixture.start)
    fixture.recorder.record(.operation(operation))
    fixture.recorder.record(.attempt(attempt))
    try await fixture.recorder.flush()
    operation.state = .succeeded
    operation.reason = nil
    attempt.state = .succeeded
    fixture.recorder.record(.attempt(attempt))
    fixture.recorder.record(.operation(operation))
    try await fixture.recorder.flush()
    #expect(try fixture.history.operations(of: run.id) == [operation])
    #expect(try fixture.history.attempts(of: run.id) == [attempt])
  }

  @Test("Interleaved records of several runs stay with their runs")
  func interleaved() async throws {
    let runs = (0..<5).map { _ in fixture.record() }
    for run in runs { fixture.recorder.record(.runCreated(run, definition: "same")) }
    for ordinal in 0..<20 {
      for run in runs {
        fixture.recorder.record(
          .operation(
            OperationRecord(
              run: run.id, ordinal: ordinal, name: "\(run.id)-\(ordinal)", position: ordinal, state: .skipped)))
      }
    }
    try await fixture.recorder.flush()
    for run in runs {
      #expect(try fixture.history.operations(of: run.id).map(\.name) == (0..<20).map { "\(run.id)-\($0)" })
    }
    #expect(try fixture.rows("SELECT count(*) FROM definition") == [[.int(1)]])
  }

  @Test("Another recorder can continue a run that it did not create")
  func otherRecorder() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    let other = HistoryRecorder(workspace: fixture.workspace)
    other.record(.operation(OperationRecord(run: run.id, ordinal: 0, name: "a", position: 0, state: .succeeded)))
    try await other.close()
    #expect(try fixture.history.operations(of: run.id).count == 1)
  }

  @Test("Counts are computed for a running run and recorded for an ended one")
  func counts() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "a", position: 0, state: .succeeded)))
    try await fixture.recorder.flush()
    #expect(try fixture.history.run(run.id)?.counts == RunCounts(operations: 2, succeeded: 1))
    #expect(try fixture.rows("SELECT operations, succeeded, failed FROM runs") == [[.int(2), .int(1), .int(0)]])
    // Handlers and items follow its two operations and are not counted.
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 2, name: "a[0]", position: 0, parent: 0, state: .succeeded)))
    try await fixture.recorder.flush()
    #expect(try fixture.history.run(run.id)?.counts == RunCounts(operations: 2, succeeded: 1))
    fixture.recorder.record(
      .runEnded(run.id, state: .cancelled, reason: "user", counts: RunCounts(operations: 2, cancelled: 2), at: .now))
    try await fixture.recorder.flush()
    #expect(try fixture.history.run(run.id)?.counts == RunCounts(operations: 2, cancelled: 2))
    #expect(
      try fixture.rows("SELECT state, reason, cancelled FROM runs") == [[.text("cancelled"), .text("user"), .int(2)]])
  }

  @Test("What ends before it began, because the clock was set back, is recorded as ended when it began")
  func clockSetBack() async throws {
    let (run, start) = (fixture.record(), HistoryFixture.start)
    let before = start.advanced(by: -5)
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: start))
    fixture.recorder.record(
      .operationWithAttempt(
        OperationRecord(
          run: run.id, ordinal: 0, name: "a", position: 0, state: .failed, startedAt: start, endedAt: before),
        AttemptRecord(run: run.id, ordinal: 0, number: 1, state: .failed, startedAt: start, endedAt: before)))
    fixture.recorder.record(.runEnded(run.id, state: .failed, reason: nil, counts: RunCounts(), at: before))
    try await fixture.recorder.flush()
    #expect(try fixture.history.run(run.id)?.endedAt == start)
    #expect(try fixture.history.operations(of: run.id).map(\.endedAt) == [start])
    #expect(try fixture.history.attempts(of: run.id).map(\.endedAt) == [start])
  }

  @Test("Nothing is lost when the disk is full for a while")
  func diskFull() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    func limit(_ pages: String) throws {
      try fixture.workspace.write { _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = \(pages)") }
    }
    try limit("1")
    for ordinal in 0..<2000 {
      fixture.recorder.record(
        .operation(OperationRecord(run: run.id, ordinal: ordinal, name: "a", position: 0, state: .succeeded)))
    }
    await #expect(throws: WorkspaceError.full(path: fixture.workspace.path)) { try await fixture.recorder.flush() }
    try limit("1000000000")
    try await fixture.recorder.retry()
    #expect(try fixture.history.operations(of: run.id).count == 2000)
  }
}
