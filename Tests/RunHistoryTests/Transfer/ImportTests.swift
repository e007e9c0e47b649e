import Foundation
import Testing
import Values
import Workspace

@testable import Expressions
@testable import RunHistory

@Suite("Importing")
struct ImportTests {
  let fixture: HistoryFixture
  let other: HistoryFixture

  init() throws {
    fixture = try HistoryFixture()
    other = try HistoryFixture()
  }

  private static let source = "name: digest\noperations: [{ name: fetch, value: 1 }]\n"

  /// Records a run that contains everything that can be recorded.
  private func recordRun(at time: RecordTime = HistoryFixture.start, state: RunState = .failed) async throws -> RunID {
    var run = fixture.record(at: time)
    run.definitionHash = ContentHash.of(Self.source)
    run.params = #"{"limit":20,"name":"é\"\\"}"#
    run.trigger = .controller
    run.controller = "cron"
    run.event = #"{"instant":"2026-11-18T11:00:00Z"}"#
    run.instant = RecordTime(microseconds: 1_795_000_000_000_001)
    run.canceller = RunCanceller(who: "ada", means: .command)
    run.labels = ["team": "data", "app.example/env": "é\"="]
    run.parent = RunRecord.Parent(run: .generate(), operation: "deploy[3]")
    let micro = time.advanced(by: 123_457)
    fixture.recorder.record(.runCreated(run, definition: Self.source))
    fixture.recorder.record(.runStarted(run.id, at: micro))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 0, name: "fetch", position: 0, state: .succeeded, attempts: 2, startedAt: micro,
          endedAt: micro.advanced(by: 1), result: .inline("null"), fingerprint: "f1")))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 1, name: "loop", position: 1, state: .failed, reason: "exit",
          detail: #"{"gate":{"formula":"online"}}"#, error: RecordedError(code: "exit", message: "exited with code 7")))
    )
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 40, name: "loop[0]", position: 1, parent: 1, item: "null", state: .reused,
          result: .file(path: "runs/\(run.id)/7.json", size: 1 << 21), reusedFrom: run.id)))
    for number in 1...2 {
      fixture.recorder.record(
        .attempt(
          AttemptRecord(
            run: run.id, ordinal: 0, number: number, state: number == 1 ? .failed : .succeeded, startedAt: micro,
            endedAt: micro.advanced(by: 1), exitCode: number == 1 ? 7 : 0, signal: number == 1 ? 9 : nil,
            error: number == 1 ? RecordedError(code: "exit", message: "exited with code 7") : nil,
            result: number == 1 ? .inline(#"{"a":[1,2.5]}"#) : .none, standardOutput: "runs/\(run.id)/\(number).out",
            standardError: "runs/\(run.id)/\(number).err", retryDelay: 250_001, retryDue: micro.advanced(by: 99),
            wakeCause: "online", pid: 4242, userTime: 1_234_567, systemTime: 0)))
    }
    var approval = Approval(run: run.id, ordinal: 1, operation: "loop", message: "Go on?", requestedAt: micro)
    fixture.recorder.record(.approvalRequested(approval))
    try await fixture.recorder.flush()
    approval.answer = Approval.Answer(isApproved: true, note: "yes", who: "ada", at: micro)
    try fixture.history.write { db in
      let number = try #require(try RunRows.number(of: run.id, in: db))
      try ApprovalRows.record(try #require(approval.answer), of: approval, number: number, in: db)
    }
    guard state.isFinal else { return run.id }
    let counts = RunCounts(operations: 3, succeeded: 1, failed: 1, reused: 1)
    fixture.recorder.record(
      .runEnded(
        run.id, state: state, reason: "operation-failed: loop", counts: counts, at: micro.advanced(by: 1_000_001)))
    try await fixture.recorder.flush()
    return run.id
  }

  private func exported(_ history: History) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try history.export(RunFilter(includesNested: true)) { lines.append($0) }
    return lines
  }

  private func takeIn(_ lines: [[UInt8]], into history: History) throws -> ImportReport {
    var rest = lines[...]
    return try history.importRuns { rest.popFirst() }
  }

  private func makeFiles(of run: RunID, in directory: String) throws {
    try FileManager.default.createDirectory(atPath: "\(directory)/runs/\(run)", withIntermediateDirectories: true)
    for name in ["1.out", "1.err", "2.out", "2.err", "7.json"] {
      #expect(FileManager.default.createFile(atPath: "\(directory)/runs/\(run)/\(name)", contents: Data("x".utf8)))
    }
  }

  @Test("Exporting, importing and exporting again yields the same bytes")
  func roundTrip() async throws {
    let run = try await recordRun()
    try makeFiles(of: run, in: other.directory)
    let lines = try exported(fixture.history)
    let report = try takeIn(lines, into: other.history)
    #expect(report.imported == [run] && report.known == 0 && report.missingFiles == 0)
    #expect(try exported(other.history) == lines)
    for view in HistorySchema.publicViews where view != "leases" {
      let columns =
        view == "runs"
        ? "id, pipeline, state, reason, trigger, started_at, ended_at, duration_ms, created_at, host, user, version, params, definition, path, parent, parent_operation, operations, succeeded, failed, skipped, cancelled, reused, controller, event, at, labels"
        : "*"
      #expect(
        try fixture.rows("SELECT \(columns) FROM \(view)") == other.rows("SELECT \(columns) FROM \(view)"), "\(view)")
    }
    #expect(try other.history.definition(of: run) == Self.source)
  }

  @Test("Every column of an operation and of an attempt is imported")
  func columns() async throws {
    var run = fixture.record(state: .running)
    run.definitionHash = ContentHash.of(Self.source)
    let time = HistoryFixture.start
    let operation = OperationRecord(
      run: run.id, ordinal: 1, name: "loop[0]", position: 3, parent: 0, item: #"{"a":1}"#, state: .failed,
      reason: "r", detail: #"{"d":2}"#, error: RecordedError(code: "c", message: "m"), attempts: 4, waitingSince: time,
      startedAt: time.advanced(by: 1), endedAt: time.advanced(by: 2), result: .inline("5"), fingerprint: "f",
      reusedFrom: .generate())
    var attempt = AttemptRecord(
      run: run.id, ordinal: 1, number: 6, state: .failed, startedAt: time.advanced(by: 3),
      endedAt: time.advanced(by: 4), exitCode: 7, signal: 8, error: RecordedError(code: "d", message: "n"),
      result: .file(path: "runs/\(run.id)/7.json", size: 9), standardOutput: "runs/\(run.id)/1.out",
      standardError: "runs/\(run.id)/1.err", retryDelay: 10_001, retryDue: time.advanced(by: 5), wakeCause: "w",
      pid: 11, pidStarted: 12, executor: "slurm", handle: "h", userTime: 13_001, systemTime: 14)
    #expect(missingProperties(of: operation) + missingProperties(of: attempt) == [])
    fixture.recorder.record(.runCreated(run, definition: Self.source))
    let loop = OperationRecord(run: run.id, ordinal: 0, name: "loop", position: 3, state: .failed)
    for record in [loop, operation] { fixture.recorder.record(.operation(record)) }
    fixture.recorder.record(.attempt(attempt))
    fixture.recorder.record(
      .runEnded(run.id, state: .failed, reason: nil, counts: RunCounts(operations: 1), at: time.advanced(by: 6)))
    try await fixture.recorder.flush()
    try makeFiles(of: run.id, in: other.directory)
    #expect(try takeIn(try exported(fixture.history), into: other.history).imported == [run.id])
    #expect(try other.history.operations(of: run.id) == [loop, operation])
    // It is meaningful only on the computer that recorded it.
    attempt.pidStarted = nil
    #expect(try other.history.attempts(of: run.id) == [attempt])
  }

  @Test("Importing twice changes nothing, and existing runs stay as they are")
  func idempotent() async throws {
    let first = try await recordRun()
    let second = try await recordRun(at: HistoryFixture.start.advanced(by: 60_000_000), state: .succeeded)
    let own = try await other.ended("own")
    let lines = try exported(fixture.history)
    #expect(try takeIn(Array(lines.prefix(1)), into: other.history).imported == [second])
    let report = try takeIn(lines, into: other.history)
    #expect(report.imported == [first] && report.known == 1)
    let before = try exported(other.history)
    #expect(try takeIn(lines, into: other.history).known == 2)
    #expect(try exported(other.history) == before)
    #expect(Set(try other.history.runs(RunFilter(includesNested: true)).map(\.id)) == [first, second, own])
  }

  @Test("Records whose files are missing are imported without them")
  func missingFiles() async throws {
    let run = try await recordRun()
    let report = try takeIn(try exported(fixture.history), into: other.history)
    #expect(report.missingFiles == 5)
    #expect(try other.history.attempts(of: run).allSatisfy { $0.standardOutput == nil && $0.standardError == nil })
    #expect(try other.history.operations(of: run).last?.result == RecordedResult.none)
  }

  @Test("Logs and large results are copied from the workspace that the runs come from")
  func copiedFiles() async throws {
    let run = try await recordRun()
    try makeFiles(of: run, in: fixture.directory)
    let theirs = "\(fixture.directory)/runs/\(run)"
    try Data(repeating: 7, count: 300_000).write(to: URL(fileURLWithPath: theirs + "/2.out"))
    // The index records when the logs grew, and no record names it.
    try Data("penlogs1".utf8).write(to: URL(fileURLWithPath: theirs + "/9.index"))
    try Data("else".utf8).write(to: URL(fileURLWithPath: theirs + "/x.index"))
    // A symbolic link is not a log, wherever it leads.
    try FileManager.default.removeItem(atPath: theirs + "/2.err")
    try FileManager.default.createSymbolicLink(atPath: theirs + "/2.err", withDestinationPath: "/etc/hostname")
    // Existing files are kept.
    let ours = "\(other.directory)/runs/\(run)"
    try FileManager.default.createDirectory(atPath: ours, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: ours + "/1.out", contents: Data("mine".utf8)))
    var lines = try exported(fixture.history)[...]
    let report = try other.history.importRuns(filesFrom: fixture.directory) { lines.popFirst() }
    #expect(report.imported == [run] && report.copiedFiles == 3 && report.missingFiles == 1)
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: ours)) == [
        "1.out", "1.err", "2.out", "7.json", "9.index",
      ])
    #expect(FileManager.default.contents(atPath: ours + "/1.out") == Data("mine".utf8))
    #expect(FileManager.default.contents(atPath: ours + "/2.out") == Data(repeating: 7, count: 300_000))
    let mode = try FileManager.default.attributesOfItem(atPath: ours + "/2.out")[.posixPermissions] as? Int
    #expect(mode == 0o600)
    lines = try exported(fixture.history)[...]
    #expect(try other.history.importRuns(filesFrom: fixture.directory) { lines.popFirst() }.copiedFiles == 0)
  }

  @Test("The audit has one entry for the runs of an import, and none if all of them existed")
  func audit() async throws {
    _ = try await recordRun()
    _ = try await recordRun(at: HistoryFixture.start.advanced(by: 1))
    for _ in 0..<2 {
      var lines = try exported(fixture.history)[...]
      let entry = CountedEntry(
        AuditEntry(
          time: HistoryFixture.start, by: Requester("ada"), .import, "*", detail: "from 'history.jsonl'"))
      _ = try other.history.importRuns(in: entry, filesFrom: nil) { lines.popFirst() }
    }
    let entries = try other.history.audit()
    #expect(entries.map(\.action) == [.import])
    #expect(entries.first?.detail == "2 runs from 'history.jsonl'")
  }

  @Test("An unfinished run is skipped, because it cannot continue here")
  func unfinished() async throws {
    _ = try await recordRun(state: .running)
    let report = try takeIn(try exported(fixture.history), into: other.history)
    #expect(report.unfinished == 1 && report.imported.isEmpty)
  }

  @Test("An error names the invalid line; the lines before it are imported, and the rest can follow")
  func wrongLine() async throws {
    let run = try await recordRun()
    let lines = try exported(fixture.history)
    let error = #expect(throws: ImportError.self) {
      try takeIn(lines + [[], Array("{\"id\":1}".utf8)] + lines, into: other.history)
    }
    #expect(error?.line == 3)
    #expect(error?.description == "line 3: 'id' of the run must be a string, found 1")
    #expect(try other.history.run(run) != nil)
  }

  @Test(
    "An error names what was expected and what was found",
    arguments: [
      ("\"state\":\"failed\"", "\"state\":7", "'state' of the run must be a string, found 7"),
      (
        "\"state\":\"failed\"", "\"state\":\"fine\"",
        "'state' of the run must be one of queued, running, succeeded, failed, cancelled, interrupted, found 'fine'"
      ),
      ("\"team\":\"data\"", "\"team\":[]", "the label 'team' of the run must be a string, found a list"),
      (
        "\"team\":\"data\"", "\"a b\":\"data\"",
        "the name of a label of the run must be letters, digits, '.', '_', '/' and '-', at most 63, the first a letter or digit, found 'a b'"
      ),
      ("\"team\":\"data\"", "\"team\":\"a\\nb\"", "the label 'team' of the run holds a control character"),
      ("\"labels\":{", "\"labels\":3,\"other\":{", "'labels' of the run must be an object, found 3"),
      ("\"counts\":{", "\"counts\":true,\"other\":{", "'counts' must be an object, found true"),
      (
        "\"parent\":\"loop\"", "\"parent\":\"x\"",
        "'parent' of operation 'loop[0]' must be the name of an operation of the run, found 'x'"
      ),
    ])
  func messages(part: String, replacement: String, message: String) async throws {
    _ = try await recordRun()
    let line = String(decoding: try #require(try exported(fixture.history).first), as: UTF8.self)
    let wrong = line.replacing(part, with: replacement)
    #expect(wrong != line)
    let error = #expect(throws: ImportError.self) { try takeIn([Array(wrong.utf8)], into: other.history) }
    #expect(error?.message == message)
  }

  @Test("A line that is not an object is reported as such")
  func noObject() throws {
    let error = #expect(throws: ImportError.self) { try takeIn([Array("[]".utf8)], into: other.history) }
    #expect(error?.description == "line 1: the run must be an object, found a list")
  }

  @Test(
    "Anything that an export would not write is rejected",
    arguments: [
      ("\"state\":\"failed\"", "\"state\":\"fine\""), ("runs/", "../../"), ("/1.out", "/../../../etc/passwd"),
      ("/7.json", "/.."),
      ("\"ordinal\":40", "\"ordinal\":-1"), ("\"ordinal\":40", "\"ordinal\":4294967296"),
      ("\"parent\":\"loop\"", "\"parent\":\"x\""),
      ("\"created_at\":\"2026", "\"created_at\":\"once 2026"), ("name: digest", "name: other"),
      ("\"source\"", "\"sauce\""),
      ("\"counts\"", "\"count\""), ("\"number\":1", "\"number\":1.5"),
      ("\"number\":1", "\"number\":0"), ("\"ended_at\":\"2026", "\"ended_at\":\"1999"),
    ])
  func refused(part: String, replacement: String) async throws {
    _ = try await recordRun()
    let line = String(decoding: try #require(try exported(fixture.history).first), as: UTF8.self)
    let wrong = line.replacing(part, with: replacement)
    #expect(wrong != line)
    let error = #expect(throws: ImportError.self) { try takeIn([Array(wrong.utf8)], into: other.history) }
    #expect(error?.line == 1)
    #expect(try other.history.runs(RunFilter(includesNested: true)).isEmpty)
  }
}
