import GRDB
import Workspace

/// How changes become rows.
///
/// Used inside the recorder's transactions alone, one at a time, which is what makes the unchecked conformance sound.
final class HistoryStatements: @unchecked Sendable {
  /// The numbers of the runs that were met before. A number found in a transaction that was rolled back is found anew when
  /// the changes are applied again, because the change that made it comes again too.
  private var numbers: [RunID: Int64] = [:]
  private var latest: (run: RunID, number: Int64)?

  /// Has the statements compiled that every run needs.
  static func prepare(_ db: Database) throws {
    for sql in [definitionSQL, runSQL, operationSQL, attemptSQL] { _ = try db.cachedStatement(sql: sql) }
  }

  /// Makes rows of changes. Where a clock was set back meanwhile, what ended before it began is recorded as ended when it began.
  func apply(_ changes: ArraySlice<HistoryChange>, to db: Database) throws {
    // The look-up in the cache hashes the text; once for each batch it costs nothing.
    var operation = try BoundStatement(Self.operationSQL, in: db)
    var attempt = try BoundStatement(Self.attemptSQL, in: db)
    for change in changes {
      switch change {
      case .operation(let record):
        let number = try number(of: record.run, in: db)
        try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &operation)
      case .attempt(let record):
        let number = try number(of: record.run, in: db)
        try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &attempt)
      case .operationWithAttempt(let record, let latest):
        let key = InstanceKey(run: try number(of: record.run, in: db), ordinal: record.ordinal)
        try write(record, key: key, with: &operation)
        try write(latest, key: key, with: &attempt)
      case .runCreated(let record, let definition):
        try create(record, definition: definition, in: db)
      case .nestedDefinitions(let run, let texts):
        try db.cachedStatement(sql: Self.definitionSQL).execute(
          arguments: [NestedDefinitions.key(of: run), NestedDefinitions.text(of: texts)])
      case .runStarted(let run, let time):
        try db.cachedStatement(
          sql: "UPDATE run_record SET state = 'running', started_at = coalesce(started_at, ?) WHERE id = ?"
        ).execute(arguments: [time.microseconds, run.text])
      case .runEnded(let run, let state, let reason, let counts, let time):
        try db.cachedStatement(
          sql: """
            UPDATE run_record SET state = ?, reason = ?, ended_at = max(?, coalesce(started_at, 0)), operations = ?, succeeded = ?, failed = ?, skipped = ?,
              cancelled = ?, reused = ? WHERE id = ?
            """
        ).execute(arguments: [
          state.rawValue, reason, time.microseconds, counts.operations, counts.succeeded, counts.failed, counts.skipped,
          counts.cancelled, counts.reused, run.text,
        ])
      case .approvalRequested(let approval):
        let number = try number(of: approval.run, in: db)
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
  }

  private func number(of run: RunID, in db: Database) throws -> Int64 {
    if let latest, latest.run == run { return latest.number }
    let number: Int64
    if let known = numbers[run] {
      number = known
    } else if let found = try RunRows.number(of: run, in: db) {
      number = found
    } else {
      throw WorkspaceError.io(path: run.text, code: 0, message: "a record came before the record of its run \(run)")
    }
    numbers[run] = number
    latest = (run, number)
    return number
  }

  private func create(_ record: RunRecord, definition: String, in db: Database) throws {
    try db.cachedStatement(sql: Self.definitionSQL).execute(arguments: [record.definitionHash, definition])
    try db.cachedStatement(sql: Self.runSQL).execute(arguments: [
      record.id.text, record.pipeline, record.definitionHash, record.path, record.params, record.trigger.rawValue,
      record.host, record.user, record.version, record.owner.boot, record.owner.pid, record.owner.started,
      record.parent?.run.text, record.parent?.operation, record.state.rawValue, record.reason,
      record.createdAt.microseconds, record.startedAt?.microseconds, record.endedAt?.microseconds,
      record.counts.operations, record.counts.succeeded, record.counts.failed, record.counts.skipped,
      record.counts.cancelled, record.counts.reused, record.controller, record.event,
    ])
    numbers[record.id] = db.lastInsertedRowID
    latest = (record.id, db.lastInsertedRowID)
  }

  private static let definitionSQL = "INSERT INTO definition (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING"

  private static let runSQL = """
    INSERT INTO run_record (id, pipeline, definition, path, params, trigger, host, user, version, boot, pid,
      process_started, parent, parent_operation, state, reason, created_at, started_at, ended_at,
      operations, succeeded, failed, skipped, cancelled, reused, controller, event)
    VALUES (?, ?, (SELECT number FROM definition WHERE hash = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
      ?, ?, ?, ?, ?, ?, ?, ?)
    """

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
      error, stdout_file, stderr_file, retry_delay, retry_due, wake_cause, pid, pid_started, result_file, result_size, result)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
    try statement.run()
  }
}

extension BoundStatement {
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
