import DequeModule
import SQLite
import Workspace

/// How changes become rows.
///
/// Used inside the recorder's transactions alone, one at a time, which is what makes the unchecked conformance sound.
final class HistoryStatements: @unchecked Sendable {
  /// A run that was met before.
  private struct Known {
    var number: Int64
    /// The fencing number with which the run is this process's.
    var fence: Int64
    /// The ``HistoryStatements/epoch`` in which that was looked at last.
    var checkedIn: Int
    var isLost = false
    /// Which end of a run was its latest; zero before its first.
    var end = 0
  }

  /// What tells whether anybody but ``apply(_:to:)`` has written since: another connection, or something else on this one.
  private struct Mark: Equatable {
    let foreign: Int64
    let own: Int

    init(_ db: Database) throws {
      foreign = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
      own = db.totalChangesCount
    }
  }

  /// The runs that were met before. One found in a transaction that was rolled back is found anew when the changes are applied
  /// again, because the change that made it comes again too.
  private var known: [RunID: Known] = [:]
  /// Known runs that have ended, the oldest first. Some are kept, as the end of a run comes again when its transaction was rolled back.
  private var ended: Deque<(run: RunID, end: Int)> = []
  private var ends = 0
  private static let mostEnded = 512
  private var latest: (run: RunID, number: Int64)?
  /// Counts the times at which others may have taken runs.
  private var epoch = 0
  private var mark: Mark?
  private let onLoss: @Sendable (RunID) -> Void

  /// `onLoss` is told of a run that was taken from this process, of which nothing is recorded any more. [the writer's thread]
  init(onLoss: @escaping @Sendable (RunID) -> Void = { _ in }) {
    self.onLoss = onLoss
  }

  /// Has the statements compiled that every run needs.
  static func prepare(_ db: Database) throws {
    for sql in [definitionSQL, runSQL, operationSQL, attemptSQL] { _ = try db.cachedStatement(sql: sql) }
  }

  /// The types of objects that changes are about.
  static func types(of changes: ArraySlice<HistoryChange>) -> [any Storable.Type] {
    var (hasRuns, hasApprovals) = (false, false)
    for change in changes {
      switch change {
      case .runCreated, .runStarted, .runEnded: hasRuns = true
      case .approvalRequested: hasApprovals = true
      case .operation, .attempt, .operationWithAttempt: break
      }
    }
    return [StoredOperation.self, StoredAttempt.self] + (hasRuns ? [StoredRun.self, StoredDefinition.self] : [])
      + (hasApprovals ? [StoredApproval.self] : [])
  }

  /// Makes rows of changes, in one transaction. What is of a run that was taken from this process is left out. Where a clock was set back meanwhile, what ended before it began is recorded as ended when it began.
  func apply(_ changes: ArraySlice<HistoryChange>, to db: Database) throws {
    // The look-up in the cache hashes the text; once for each batch it costs nothing.
    var operation = try BoundStatement(Self.operationSQL, in: db)
    var attempt = try BoundStatement(Self.attemptSQL, in: db)
    if try mark == nil || mark != Mark(db) { epoch += 1 }
    latest = nil
    var next = changes.startIndex
    while next < changes.endIndex {
      defer { next += 1 }
      switch changes[next] {
      case .operation(let record):
        guard let number = try number(of: record.run, in: db) else { continue }
        try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &operation)
      case .attempt(let record):
        guard let number = try number(of: record.run, in: db) else { continue }
        try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &attempt)
      case .operationWithAttempt(let record, let latest):
        guard let number = try number(of: record.run, in: db) else { continue }
        let key = InstanceKey(run: number, ordinal: record.ordinal)
        try write(record, key: key, with: &operation)
        try write(latest, key: key, with: &attempt)
      case .runCreated(var record, let definition, let nested, let operations):
        // Most runs start at once. Written as one row, that spares an update of the row and its indexes.
        if next + 1 < changes.endIndex, case .runStarted(record.id, let time) = changes[next + 1] {
          record.state = .running
          record.startedAt = record.startedAt ?? time
          next += 1
        }
        let number = try create(record, definition: definition, nested: nested, in: db)
        for record in operations {
          try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &operation)
        }
      case .runStarted(let run, let time):
        guard let number = try number(of: run, in: db) else { continue }
        try db.cachedStatement(
          sql: "UPDATE run_record SET state = 'running', started_at = coalesce(started_at, ?) WHERE number = ?"
        ).execute(arguments: [time.microseconds, number])
      case .runEnded(let run, let state, let reason, let counts, let time):
        guard let number = try number(of: run, in: db) else { continue }
        var end = try BoundStatement(Self.endSQL, in: db)
        end.bind(state.rawValue)
        end.bind(reason)
        end.bind(time.microseconds)
        end.bind(counts)
        end.bind(number)
        try end.run()
        dropEnded(run)
      case .approvalRequested(let approval):
        guard let number = try number(of: approval.run, in: db) else { continue }
        try db.cachedStatement(
          sql: """
            INSERT INTO approval (operation, name, message, requested_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (operation) DO UPDATE SET message = excluded.message, requested_at = excluded.requested_at
            WHERE answered_at IS NULL
            """
        ).execute(arguments: [
          InstanceKey(run: number, ordinal: approval.ordinal).value, approval.operation, approval.message,
          approval.requestedAt.microseconds,
        ])
      }
    }
    mark = try Mark(db)
  }

  /// Drops what is known of runs that ended long ago.
  private func dropEnded(_ run: RunID) {
    ends += 1
    known[run]?.end = ends
    ended.append((run, ends))
    guard ended.count > Self.mostEnded, let oldest = ended.popFirst() else { return }
    // It ends again where it was resumed; and of one that was taken from this process, nothing may be recorded any more.
    if let entry = known[oldest.run], entry.end == oldest.end, !entry.isLost { known[oldest.run] = nil }
  }

  /// This process has got a run, with a fencing number of its own.
  func adopt(_ run: RunID, number: Int64, fence: Int64) {
    known[run] = Known(number: number, fence: fence, checkedIn: 0)
  }

  /// The number of a run that is this process's; nil where it was taken from it, which is looked at once for each run after others have written.
  private func number(of run: RunID, in db: Database) throws -> Int64? {
    if let latest, latest.run == run { return latest.number }
    var entry = known[run]
    if let entry, entry.isLost { return nil }
    if entry?.checkedIn != epoch {
      let row = try Row.fetchOne(
        db.cachedStatement(sql: "SELECT number, coalesce(fence, 0) FROM run_record WHERE id = ?"), arguments: [run.text]
      )
      if let former = entry {
        entry?.checkedIn = epoch
        // A run that was deleted meanwhile had been taken from this process first.
        entry?.isLost = row.map { $0[0] != former.number || $0[1] != former.fence } ?? true
      } else if let row {
        entry = Known(number: row[0], fence: row[1], checkedIn: epoch)
      }
      known[run] = entry
    }
    guard let entry else {
      throw WorkspaceError.io(path: run.text, code: 0, message: "a record came before the record of its run \(run)")
    }
    if entry.isLost {
      onLoss(run)
      return nil
    }
    latest = (run, entry.number)
    return entry.number
  }

  private func create(
    _ record: RunRecord, definition: String, nested: [String: String], in db: Database
  ) throws -> Int64 {
    if !nested.isEmpty {
      try db.cachedStatement(sql: Self.definitionSQL).execute(
        arguments: [NestedDefinitions.key(of: record.id), NestedDefinitions.text(of: nested)])
    }
    try db.cachedStatement(sql: Self.definitionSQL).execute(arguments: [record.definitionHash, definition])
    var run = try BoundStatement(Self.runSQL, in: db)
    run.bind(record.id.text)
    run.bind(record.pipeline)
    run.bind(record.definitionHash)
    run.bind(record.path)
    run.bind(record.params)
    run.bind(record.trigger.rawValue)
    run.bind(record.host)
    run.bind(record.user)
    run.bind(record.version)
    run.bind(record.owner.boot)
    run.bind(Int64(record.owner.pid))
    run.bind(record.owner.started)
    run.bind(record.parent?.run.text)
    run.bind(record.parent?.operation)
    run.bind(record.state.rawValue)
    run.bind(record.reason)
    run.bind(record.createdAt.microseconds)
    run.bind(record.startedAt?.microseconds)
    run.bind(record.endedAt?.microseconds)
    run.bind(record.counts)
    run.bind(record.controller)
    run.bind(record.event)
    run.bind(record.origin.source?.text)
    run.bind(record.origin.text)
    run.bind(record.parent?.attempt)
    run.bind(record.fence)
    try run.run()
    let number = db.lastInsertedRowID
    known[record.id] = Known(number: number, fence: record.fence, checkedIn: epoch)
    latest = (record.id, number)
    return number
  }

  private static let definitionSQL = "INSERT INTO definition (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"

  private static let runSQL = """
    INSERT INTO run_record (id, pipeline, definition, path, params, trigger, host, user, version, boot, pid,
      process_started, parent, parent_operation, state, reason, created_at, started_at, ended_at,
      operations, succeeded, failed, skipped, cancelled, reused, controller, event, source, selection, parent_attempt,
      fence)
    VALUES (?, ?, (SELECT number FROM definition WHERE hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let endSQL = """
    UPDATE run_record SET state = ?, reason = ?, ended_at = max(?, coalesce(started_at, 0)), operations = ?, succeeded = ?, failed = ?, skipped = ?,
      cancelled = ?, reused = ? WHERE number = ?
    """

  // Statements and not change requests: 10,000 new rows take 28 ms either way, but 28 ms and 48 ms when they are written again, as the row of an operation is
  // that lasts longer than 50 ms: an upsert reads the row first.
  private static let operationSQL = """
    INSERT OR REPLACE INTO operation_record (key, name, position, parent, item, state, reason, detail, error_code, error,
      attempts, waiting_since, started_at, ended_at, fingerprint, reused_from, result_file, result_size, result)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private func write(
    _ record: OperationRecord, key: InstanceKey, with statement: inout BoundStatement
  ) throws {
    statement.bind(key.value)
    statement.bind(record.name)
    statement.bind(record.position)
    statement.bind(record.parent)
    statement.bind(record.item)
    statement.bind(record.state.rawValue)
    statement.bind(record.reason)
    statement.bind(record.detail)
    statement.bind(record.error?.code)
    statement.bind(record.error?.message)
    statement.bind(record.attempts)
    statement.bind(record.waitingSince?.microseconds)
    statement.bind(record.startedAt?.microseconds)
    statement.bind(record.endedAt.map { max($0, record.startedAt ?? $0).microseconds })
    statement.bind(record.fingerprint)
    statement.bind(record.reusedFrom?.text)
    statement.bind(record.result)
    try statement.run()
  }

  private static let attemptSQL = """
    INSERT OR REPLACE INTO attempt_record (operation, number, state, started_at, ended_at, exit_code, signal, error_code,
      error, stdout_file, stderr_file, retry_delay, retry_due, wake_cause, pid, pid_started, result_file, result_size, result,
      executor, handle)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private func write(_ record: AttemptRecord, key: InstanceKey, with statement: inout BoundStatement) throws {
    statement.bind(key.value)
    statement.bind(record.number)
    statement.bind(record.state.rawValue)
    statement.bind(record.startedAt.microseconds)
    statement.bind(record.endedAt.map { max($0, record.startedAt).microseconds })
    statement.bind(record.exitCode)
    statement.bind(record.signal)
    statement.bind(record.error?.code)
    statement.bind(record.error?.message)
    statement.bind(record.standardOutput)
    statement.bind(record.standardError)
    statement.bind(record.retryDelay)
    statement.bind(record.retryDue?.microseconds)
    statement.bind(record.wakeCause)
    statement.bind(record.pid.map(Int64.init))
    statement.bind(record.pidStarted)
    statement.bind(record.result)
    statement.bind(record.executor)
    statement.bind(record.handle)
    try statement.run()
  }
}

extension BoundStatement {
  /// Binds the columns from `operations` to `reused`.
  fileprivate mutating func bind(_ counts: RunCounts) {
    bind(counts.operations)
    bind(counts.succeeded)
    bind(counts.failed)
    bind(counts.skipped)
    bind(counts.cancelled)
    bind(counts.reused)
  }

  /// Binds the columns `result_file`, `result_size` and `result`.
  fileprivate mutating func bind(_ result: RecordedResult) {
    switch result {
    case .none:
      bindNull()
      bindNull()
      bindNull()
    case .inline(let text):
      bindNull()
      bindNull()
      bind(text)
    case .file(let path, let size):
      bind(path)
      bind(size)
      bindNull()
    }
  }
}
