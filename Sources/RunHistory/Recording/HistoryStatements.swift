import DequeModule
import SQLite
import Workspace

/// Converts changes to rows.
///
/// Used only within the recorder's transactions, one at a time, which makes the unchecked conformance sound. The rows of runs, operations and
/// attempts are bound next to their schemas, but their statements are not derived from these: declaring the three takes 0.5 ms, which every short
/// command would pay.
final class HistoryStatements: @unchecked Sendable {
  /// A run seen before.
  private struct Known {
    var number: Int64
    var pipeline: String
    /// The fencing token with which this process owns the run.
    var fence: Int64
    /// The ``HistoryStatements/epoch`` in which that was last checked.
    var checkedIn: Int
    var isLost = false
    /// The sequence number of the run's latest end; zero before the first.
    var end = 0
  }

  /// Detects whether anything except ``apply(_:to:)`` has written since: another connection, or other code on this one.
  private struct Mark: Equatable {
    let foreign: Int64
    let own: Int

    init(_ db: Database) throws {
      foreign = try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
      own = db.totalChangesCount
    }
  }

  /// The runs seen before. If a transaction is rolled back, a run created in it is found again when the changes are applied again, because the change
  /// that creates it is among them.
  private var known: [RunID: Known] = [:]
  /// Known runs that have ended, the oldest first. Some are kept, because the end of a run is applied again if its transaction was rolled back.
  private var ended: Deque<(run: RunID, end: Int)> = []
  private var ends = 0
  private static let mostEnded = 512
  private var latest: (run: RunID, number: Int64)?
  /// The numbers of the definitions of the runs that began in this transaction, hundreds of which may share one. Not kept longer, because the
  /// transaction may be rolled back.
  private var definitions: [String: Int64] = [:]
  /// Counts the occasions on which others may have claimed runs.
  private var epoch = 0
  private var mark: Mark?
  private let onLoss: @Sendable (RunID) -> Void

  /// `onLoss` is called with a run that was claimed from this process, of which nothing more is recorded. [the writer's thread]
  init(onLoss: @escaping @Sendable (RunID) -> Void = { _ in }) {
    self.onLoss = onLoss
  }

  /// Compiles the statements that every run needs.
  static func prepare(_ db: Database) throws {
    for sql in [StoredDefinition.adding, StoredRun.adding, StoredOperation.writing, StoredAttempt.writing] {
      _ = try db.cachedStatement(sql: sql)
    }
  }

  /// Returns the object types of changes that were just applied, with ended runs grouped by pipeline.
  func types(of changes: ArraySlice<HistoryChange>) -> ChangedTypes {
    var types: ChangedTypes = [StoredOperation.self, StoredAttempt.self]
    for change in changes {
      switch change {
      case .runCreated(let record, _, _, _):
        if record.state.isFinal {
          types.insert(StoredRun.self, in: record.pipeline)
        } else {
          types.insertUngrouped(StoredRun.self)
        }
        types.insert(StoredDefinition.self)
      case .queuedRunBegan, .runPrepares, .runStarted: types.insertUngrouped(StoredRun.self)
      case .runEnded:
        // Nothing is recorded of a run that was claimed from this process.
        if let run = known[change.run] {
          types.insert(StoredRun.self, in: run.pipeline)
        } else {
          types.insert(StoredRun.self)
        }
        if case .runEnded(_, .cancelled, .some, _, _, _) = change { types.insert(StoredOccasion.self) }
      case .approvalRequested: types.insert(StoredApproval.self)
      case .resourcesReleased: types.insert(StoredResourceHold.self)
      case .operation, .attempt, .operationWithAttempt: break
      }
    }
    return types
  }

  /// Converts changes to rows, in one transaction. Changes of a run that was claimed from this process are skipped. If the clock was set back in the
  /// meantime, what would end before its beginning is recorded as ended when it began.
  func apply(_ changes: ArraySlice<HistoryChange>, to db: Database) throws {
    // Looking up a cached statement hashes its text; once per batch, that costs nothing.
    var operation = try BoundStatement(StoredOperation.writing, in: db)
    var attempt = try BoundStatement(StoredAttempt.writing, in: db)
    if try mark == nil || mark != Mark(db) { epoch += 1 }
    latest = nil
    definitions.removeAll(keepingCapacity: true)
    // Looked up when the first run begins or ends: most batches contain neither.
    var adding: BoundStatement?
    var ending: BoundStatement?
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
        // Most runs start immediately. Writing one row saves an update of the row and its indexes.
        if next + 1 < changes.endIndex, case .runStarted(record.id, let time) = changes[next + 1] {
          record.state = .running
          record.startedAt = record.startedAt ?? time
          next += 1
        }
        var statement = try adding ?? BoundStatement(StoredRun.adding, in: db)
        let number = try create(record, definition: definition, nested: nested, with: &statement, in: db)
        adding = statement
        for record in operations {
          try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &operation)
        }
      case .queuedRunBegan(let record, let operations):
        guard let number = try number(of: record.id, in: db) else { continue }
        try db.cachedStatement(sql: "UPDATE run_record SET selection = ? WHERE number = ?")
          .execute(arguments: [record.origin.text, number])
        for record in operations {
          try write(record, key: InstanceKey(run: number, ordinal: record.ordinal), with: &operation)
        }
      case .runPrepares(let run, let reason):
        guard let number = try number(of: run, in: db) else { continue }
        try db.cachedStatement(sql: "UPDATE run_record SET reason = ? WHERE number = ? AND state = 'queued'")
          .execute(arguments: [reason, number])
      case .runStarted(let run, let time):
        guard let number = try number(of: run, in: db) else { continue }
        try QueueEntries.remove(number, in: db)
        try db.cachedStatement(
          sql: """
            UPDATE run_record SET state = 'running', reason = NULL, started_at = coalesce(started_at, ?) WHERE number = ?
            """
        ).execute(arguments: [time.microseconds, number])
      case .runEnded(let run, let state, let reason, let canceller, let counts, let time):
        guard let number = try number(of: run, in: db) else { continue }
        try QueueEntries.remove(number, in: db)
        var statement = try ending ?? BoundStatement(Self.endSQL, in: db)
        statement.bind(state.rawValue)
        statement.bind(reason)
        statement.bind(canceller?.who)
        statement.bind(canceller?.means.rawValue)
        statement.bind(time.microseconds)
        statement.bind(counts)
        statement.bind(number)
        try statement.run()
        ending = statement
        if state == .cancelled, let reason {
          try OccasionLedger.endTaken(number, reason: reason, canceller: canceller, in: db)
        }
        dropEnded(run)
      case .resourcesReleased(_, let holds):
        // Also for a run that was claimed from this process, because its operations have ended nevertheless.
        try ResourceHolds.release(holds, in: db)
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

  /// Drops the state of runs that ended long ago.
  private func dropEnded(_ run: RunID) {
    ends += 1
    known[run]?.end = ends
    ended.append((run, ends))
    guard ended.count > Self.mostEnded, let oldest = ended.popFirst() else { return }
    // A resumed run ends again; and the state of a run claimed from this process is kept, because nothing more may be recorded of it.
    if let entry = known[oldest.run], entry.end == oldest.end, !entry.isLost { known[oldest.run] = nil }
  }

  /// Adds a run that this process has claimed, with its own fencing token.
  func adopt(_ run: RunRecord, number: Int64) {
    known[run.id] = Known(number: number, pipeline: run.pipeline, fence: run.fence, checkedIn: 0)
  }

  /// Returns the number of a run that this process owns, or nil if it was claimed from it, which is checked once for each run after others have written.
  private func number(of run: RunID, in db: Database) throws -> Int64? {
    if let latest, latest.run == run { return latest.number }
    var entry = known[run]
    if let entry, entry.isLost { return nil }
    if entry?.checkedIn != epoch {
      let row = try Row.fetchOne(
        db.cachedStatement(sql: "SELECT number, coalesce(fence, 0), pipeline FROM run_record WHERE id = ?"),
        arguments: [run.text]
      )
      if let former = entry {
        entry?.checkedIn = epoch
        // A run that was deleted in the meantime had been claimed from this process first.
        entry?.isLost = row.map { $0[0] != former.number || $0[1] != former.fence } ?? true
      } else if let row {
        entry = Known(number: row[0], pipeline: row[2], fence: row[1], checkedIn: epoch)
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
    _ record: RunRecord, definition: String, nested: [String: String], with statement: inout BoundStatement,
    in db: Database
  ) throws -> Int64 {
    if !nested.isEmpty {
      try db.cachedStatement(sql: StoredDefinition.adding).execute(
        arguments: [NestedDefinitions.key(of: record.id), NestedDefinitions.text(of: nested)])
    }
    let text = try self.definition(definition, hash: record.definitionHash, in: db)
    StoredRun.bind(record, definition: text, to: &statement)
    try statement.run()
    let number = db.lastInsertedRowID
    if record.trigger == .retry, record.parent == nil {
      let source = record.origin.source ?? record.id
      try AuditRows.add(
        AuditEntry(
          time: record.createdAt, by: Requester(record.user), .retry, source.text, detail: "run \(record.id.text)"),
        in: db)
    }
    known[record.id] = Known(number: number, pipeline: record.pipeline, fence: record.fence, checkedIn: epoch)
    latest = (record.id, number)
    return number
  }

  /// Returns the number of a definition, which is recorded if it is new.
  private func definition(_ text: String, hash: String, in db: Database) throws -> Int64 {
    if let number = definitions[hash] { return number }
    let number = try StoredDefinition.add(text, hash: hash, in: db)
    definitions[hash] = number
    return number
  }

  private static let endSQL = """
    UPDATE run_record SET state = ?, reason = ?, cancelled_by = ?, cancelled_with = ?, ended_at = max(?, coalesce(started_at, 0)), operations = ?, succeeded = ?, failed = ?, skipped = ?,
      cancelled = ?, reused = ? WHERE number = ?
    """

  // Statements rather than change requests: 10,000 new rows take 28 ms either way, but 28 ms versus 48 ms when they are rewritten, as is the row of
  // an operation that lasts longer than 50 ms: an upsert reads the row first.
  private func write(_ record: OperationRecord, key: InstanceKey, with statement: inout BoundStatement) throws {
    StoredOperation.bind(record, key: key, to: &statement)
    try statement.run()
  }

  private func write(_ record: AttemptRecord, key: InstanceKey, with statement: inout BoundStatement) throws {
    StoredAttempt.bind(record, operation: key, to: &statement)
    try statement.run()
  }
}
