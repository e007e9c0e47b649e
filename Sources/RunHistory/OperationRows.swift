import SQLite

/// Reads rows of operations and attempts.
enum OperationRows {
  private static let operationColumns = """
    key, name, position, parent, item, state, reason, detail, error_code, error, attempts, waiting_since, started_at,
      ended_at, fingerprint, reused_from, result_file, result_size, result
    """
  private static let attemptColumns = """
    operation, number, state, started_at, ended_at, exit_code, signal, error_code, error, stdout_file, stderr_file,
      retry_delay, retry_due, wake_cause, pid, pid_started, result_file, result_size, result, executor, handle
    """

  /// The instances of a run, by ordinal. Those of an abandoned run that were under way are pending.
  static func operations(of run: RunRows.Numbered, in db: Database) throws -> [OperationRecord] {
    let range = InstanceKey.range(of: run.number)
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: "SELECT \(operationColumns) FROM operation_record WHERE key BETWEEN ? AND ? ORDER BY key"),
      arguments: [range.first, range.last])
    var records: [OperationRecord] = []
    let isAbandoned = run.isAbandoned
    while let row = try rows.next() {
      guard var record = operation(row, run: run.record.id) else { continue }
      if isAbandoned && !record.state.isFinal {
        record.state = .pending
        record.waitingSince = nil
        record.reason = nil
      }
      records.append(record)
    }
    return records
  }

  /// The attempts of a run, by ordinal and number. Those of an abandoned run that were under way have failed.
  static func attempts(of run: RunRows.Numbered, ordinal: Int?, in db: Database) throws -> [AttemptRecord] {
    var range = InstanceKey.range(of: run.number)
    if let ordinal {
      let key = InstanceKey(run: run.number, ordinal: ordinal).value
      range = (key, key)
    }
    let rows = try Row.fetchCursor(
      db.cachedStatement(
        sql: "SELECT \(attemptColumns) FROM attempt_record WHERE operation BETWEEN ? AND ? ORDER BY operation, number"),
      arguments: [range.first, range.last])
    var records: [AttemptRecord] = []
    let isAbandoned = run.isAbandoned
    while let row = try rows.next() {
      guard var record = attempt(row, run: run.record.id) else { continue }
      if isAbandoned && !record.state.isFinal {
        record.state = .failed
        record.error = RunOwnership.hostDied
      }
      records.append(record)
    }
    return records
  }

  /// Its arguments: a fingerprint, the earliest and the latest end, the names of an operation and of a pipeline.
  static let reusableQuery = """
    SELECT o.*, r.id FROM (
      SELECT \(operationColumns) FROM operation_record
      WHERE fingerprint = ? AND ended_at BETWEEN ? AND ? AND state = 'succeeded' AND name = ?
    ) o CROSS JOIN run_record r ON r.number = o.key >> 32 AND r.pipeline = ?
    ORDER BY o.ended_at DESC LIMIT 1
    """

  /// The latest succeeded instance with the fingerprint in a pipeline.
  static func reusable(
    pipeline: String, operation name: String, fingerprint: String, notBefore: RecordTime, notAfter: RecordTime,
    in db: Database
  ) throws -> OperationRecord? {
    let row = try Row.fetchOne(
      db.cachedStatement(sql: reusableQuery),
      arguments: [fingerprint, notBefore.microseconds, notAfter.microseconds, name, pipeline])
    guard let row, let run = RunID(row[19] as String) else { return nil }
    return operation(row, run: run)
  }

  private static func operation(_ row: Row, run: RunID) -> OperationRecord? {
    guard let state = OperationState(rawValue: row[5]) else { return nil }
    return OperationRecord(
      run: run, ordinal: InstanceKey(row[0]).ordinal, name: row[1], position: row.count(2),
      parent: row.optionalCount(3), item: row[4],
      state: state, reason: row[6], detail: row[7], error: error(row, at: 8), attempts: row.count(10),
      waitingSince: time(row, at: 11), startedAt: time(row, at: 12), endedAt: time(row, at: 13),
      result: result(row, at: 16), fingerprint: row[14], reusedFrom: (row[15] as String?).flatMap { RunID($0) })
  }

  private static func attempt(_ row: Row, run: RunID) -> AttemptRecord? {
    guard let state = OperationState(rawValue: row[2]) else { return nil }
    return AttemptRecord(
      run: run, ordinal: InstanceKey(row[0]).ordinal, number: row.count(1), state: state,
      startedAt: RecordTime(microseconds: row[3]), endedAt: time(row, at: 4), exitCode: row[5], signal: row[6],
      error: error(row, at: 7), result: result(row, at: 16), standardOutput: row[9], standardError: row[10],
      retryDelay: (row[11] as Int64?).map { max(0, $0) }, retryDue: time(row, at: 12), wakeCause: row[13],
      pid: (row[14] as Int64?).map { _ in row.process(14) }, pidStarted: row[15], executor: row[19], handle: row[20])
  }

  private static func time(_ row: Row, at index: Int) -> RecordTime? {
    (row[index] as Int64?).map(RecordTime.init(microseconds:))
  }

  private static func error(_ row: Row, at index: Int) -> RecordedError? {
    guard let code = row[index] as String? else { return nil }
    return RecordedError(code: code, message: row[index + 1] as String? ?? "")
  }

  private static func result(_ row: Row, at index: Int) -> RecordedResult {
    if let path = row[index] as String? { return .file(path: path, size: max(0, row[index + 1] as Int64? ?? 0)) }
    if let text = row[index + 2] as String? { return .inline(text) }
    return .none
  }
}
