import Foundation
import RunHistory
import SQLite
import Workspace

/// A history with a recorder, in a directory that is removed at the end of a test.
final class HistoryFixture {
  let directory: String
  let history: History
  let recorder: HistoryRecorder
  var workspace: OpenWorkspace { history.workspace }

  init() throws {
    directory = NSTemporaryDirectory() + "history-test-" + UUID().uuidString.lowercased()
    history = try History.open(at: directory, mode: .readWrite)
    recorder = HistoryRecorder(workspace: history.workspace)
  }

  deinit {
    history.workspace.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// A process that certainly does not exist: no process with this id has this start time.
  static let deadOwner = ProcessIdentity(
    boot: ProcessIdentity.current.boot, pid: ProcessIdentity.current.pid, started: 1)

  static let start = RecordTime(microseconds: 1_795_000_000_000_000)

  func record(
    _ pipeline: String = "digest", at time: RecordTime = start, state: RunState = .queued,
    owner: ProcessIdentity = .current, parent: RunRecord.Parent? = nil, id: RunID = .generate()
  ) -> RunRecord {
    RunRecord(
      id: id, pipeline: pipeline, definitionHash: "hash-of-\(pipeline)", path: "/p/\(pipeline).yaml",
      params: #"{"limit":20}"#, host: "box", user: "ada", version: "0.1", owner: owner, parent: parent, state: state,
      createdAt: time, counts: RunCounts(operations: 2))
  }

  /// Takes the requests for a run, as a host that owns it with this fencing token does.
  func takeRequests(_ run: RunID, fence: Int64? = nil) async throws -> [RunRequest] {
    let requests = try history.pendingForHosts(withAnswers: false).requests.filter { $0.run == run }
    guard let fence = try fence ?? history.run(run)?.fence else { return [] }
    return try await recorder.take(requests, fences: [run: fence], at: .now).map(\.kind)
  }

  /// Records a run with two operations, `fetch` (two attempts) and `count`, that ends in the given state.
  @discardableResult
  func ended(
    _ pipeline: String = "digest", at time: RecordTime = start, state: RunState = .succeeded,
    parent: RunRecord.Parent? = nil, id: RunID = .generate(), retrying source: RunID? = nil
  ) async throws -> RunID {
    var run = record(pipeline, at: time, parent: parent, id: id)
    if let source {
      run.trigger = .retry
      run.origin.source = source
    }
    recorder.record(.runCreated(run, definition: "name: \(pipeline)"))
    recorder.record(.runStarted(run.id, at: time.advanced(by: 1000)))
    let failed = state == .failed
    for attempt in 1...2 {
      recorder.record(
        .attempt(
          AttemptRecord(
            run: run.id, ordinal: 0, number: attempt, state: attempt == 1 ? .failed : .succeeded,
            startedAt: time.advanced(by: Int64(attempt) * 10_000),
            endedAt: time.advanced(by: Int64(attempt) * 10_000 + 5000),
            exitCode: attempt == 1 ? 7 : 0,
            error: attempt == 1 ? RecordedError(code: "exit-code", message: "exit code 7") : nil,
            standardOutput: "runs/\(run.id.text)/fetch.\(attempt).out", retryDelay: attempt == 1 ? 250_000 : nil,
            wakeCause: attempt == 2 ? "timer" : nil, pid: 4242)))
    }
    recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 0, name: "fetch", position: 0, state: .succeeded, attempts: 2,
          startedAt: time.advanced(by: 10_000), endedAt: time.advanced(by: 25_000), result: .inline("[1,2]"),
          fingerprint: "f1")))
    recorder.record(
      .operation(
        OperationRecord(
          run: run.id, ordinal: 1, name: "count", position: 1, state: failed ? .failed : .succeeded,
          error: failed ? RecordedError(code: "exit-code", message: "exit code 1") : nil, attempts: 1,
          startedAt: time.advanced(by: 26_000), endedAt: time.advanced(by: 27_000),
          result: failed ? .none : .inline("2"))))
    recorder.record(
      .attempt(
        AttemptRecord(
          run: run.id, ordinal: 1, number: 1, state: failed ? .failed : .succeeded,
          startedAt: time.advanced(by: 26_000),
          endedAt: time.advanced(by: 27_000), exitCode: failed ? 1 : 0)))
    let counts = RunCounts(operations: 2, succeeded: failed ? 1 : 2, failed: failed ? 1 : 0)
    recorder.record(.runEnded(run.id, state: state, reason: nil, counts: counts, at: time.advanced(by: 30_000)))
    try await recorder.flush()
    return run.id
  }

  /// Records a run with the failed loop `convert` over the given items, each with one attempt; those in `failed` failed.
  func ended(items: [String], failed: Set<Int> = [], reusedFrom source: RunID? = nil) async throws -> RunID {
    let (run, time) = (record(at: Self.start.advanced(by: source == nil ? 0 : 1_000_000)), Self.start)
    recorder.record(.runCreated(run, definition: "name: digest"))
    recorder.record(
      .operation(
        OperationRecord(run: run.id, ordinal: 0, name: "convert", position: 0, state: .failed, startedAt: time)))
    for (index, item) in items.enumerated() {
      let isReused = source != nil && !failed.contains(index)
      recorder.record(
        .operation(
          OperationRecord(
            run: run.id, ordinal: index + 1, name: "convert[\(index)]", position: 0, parent: 0, item: item,
            state: failed.contains(index) ? .failed : isReused ? .reused : .succeeded, attempts: isReused ? 0 : 1,
            startedAt: time, reusedFrom: isReused ? source : nil)))
      guard !isReused else { continue }
      recorder.record(
        .attempt(
          AttemptRecord(
            run: run.id, ordinal: index + 1, number: 1, state: failed.contains(index) ? .failed : .succeeded,
            startedAt: time.advanced(by: Int64(-index)), endedAt: time,
            standardOutput: "runs/\(run.id.text)/\(index).out")))
    }
    recorder.record(
      .runEnded(run.id, state: .failed, reason: nil, counts: RunCounts(operations: 1, failed: 1), at: time))
    try await recorder.flush()
    return run.id
  }

  /// Records a run in the middle of its first operation, owned by a process that no longer exists.
  func abandoned(at time: RecordTime = start) async throws -> RunID {
    let run = record(at: time, owner: Self.deadOwner)
    recorder.record(.runCreated(run, definition: "name: digest"))
    recorder.record(.runStarted(run.id, at: time))
    recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "fetch", position: 0, state: .running, attempts: 1)))
    recorder.record(
      .attempt(AttemptRecord(run: run.id, ordinal: 0, number: 1, state: .running, startedAt: time, pid: 99)))
    recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 1, name: "count", position: 1, state: .pending)))
    try await recorder.flush()
    return run.id
  }

  func rows(_ sql: String) throws -> [[SQLValue]] {
    let query = try history.sql(sql)
    var rows: [[SQLValue]] = []
    while let row = try query.next() { rows.append(row) }
    return rows
  }
}

/// Returns the names of the properties of a record that are nil. A test of everything that is recorded expects none, so that it fails for a property
/// it does not know.
func missingProperties(of record: Any) -> [String] {
  Mirror(reflecting: record).children.compactMap { child in
    let value = Mirror(reflecting: child.value)
    return value.displayStyle == .optional && value.children.isEmpty ? child.label : nil
  }
}

extension History {
  /// Returns SQLite's plan for finding the objects of a query.
  func plan<T: Storable>(
    of type: T.Type, where condition: Condition<T>?, orderBy ordering: [Ordering<T>] = []
  ) throws -> [String] {
    try workspace.read { db in
      let (sql, values) = db.fetch(for: type).statement(where: condition, orderBy: ordering)
      let arguments = values.map { value -> (any DatabaseValueConvertible)? in
        switch value {
        case .null: nil
        case .int(let number): number
        case .double(let number): number
        case .text(let text): text
        case .blob: nil
        }
      }
      return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: StatementArguments(arguments))
        .map { $0["detail"] as String }
    }
  }
}
