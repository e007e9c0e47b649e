import SQLite
import Workspace

/// Reads runs with what their rows do not contain: whether their processes exist, and how many of their operations have ended so far.
enum RunRows {
  /// A run as it is recorded, with the number that addresses its operations.
  struct Numbered {
    let stored: StoredRun
    /// Whether the run was unfinished according to the record when it was read, but its process no longer existed.
    let isAbandoned: Bool
    var record: RunRecord

    /// Nil for a row with words unknown to this version, which only another program can have written.
    init?(_ stored: StoredRun, in db: Database) {
      guard let record = stored.record else { return nil }
      self.stored = stored
      // A queued run belongs to no process.
      isAbandoned = !record.state.isFinal && !record.isUnowned && !record.owner.isAlive(in: db)
      self.record = record
    }

    var number: Int64 { stored.number }

    /// Whether `resume` can continue it.
    var isInterrupted: Bool { record.state == .interrupted || isAbandoned }
  }

  /// Adds the row of a run with its definition, and returns its number. Requires a write transaction.
  static func add(
    _ record: RunRecord, definition: String, nested: [String: String], in db: Database
  ) throws -> Int64 {
    if !nested.isEmpty {
      try db.cachedStatement(sql: StoredDefinition.adding).execute(
        arguments: [NestedDefinitions.key(of: record.id), NestedDefinitions.text(of: nested)])
    }
    let text = try StoredDefinition.add(definition, hash: record.definitionHash, in: db)
    var statement = try BoundStatement(StoredRun.adding, in: db)
    StoredRun.bind(record, definition: text, to: &statement)
    try statement.run()
    return db.lastInsertedRowID
  }

  static func number(of run: RunID, in db: Database) throws -> Int64? {
    try db.fetch(for: StoredRun.self).select(StoredRun.number, where: StoredRun.id == run.text).first
  }

  static func find(_ run: RunID, in db: Database) throws -> Numbered? {
    try all(StoredRun.id == run.text, in: db).first
  }

  /// Returns the runs for which a condition is true, by their numbers.
  static func all(_ condition: Condition<StoredRun>, in db: Database) throws -> [Numbered] {
    try db.fetch(for: StoredRun.self).where(condition).compactMap { Numbered($0, in: db) }
  }

  /// Returns the record as readers see it: interrupted if its process no longer exists, and with computed counts if its end has not recorded them.
  static func presented(_ run: Numbered, in db: Database) throws -> RunRecord {
    var record = run.record
    if run.isAbandoned { record.state = .interrupted }
    if record.endedAt == nil {
      record.counts = try counts(of: run.number, planned: record.counts.operations, in: db)
    }
    return record
  }

  /// In SQL: five counts in one scan, for which groups would have to be sorted.
  private static func counts(of run: Int64, planned: Int, in db: Database) throws -> RunCounts {
    // Handlers and the items of loops come after the operations of the pipeline.
    let first = InstanceKey.range(of: run).first
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT count(*) FILTER (WHERE state = 'succeeded'), count(*) FILTER (WHERE state = 'failed'),
            count(*) FILTER (WHERE state = 'skipped'), count(*) FILTER (WHERE state = 'cancelled'),
            count(*) FILTER (WHERE state = 'reused')
          FROM operation_record WHERE key BETWEEN ? AND ?
          """), arguments: [first, first + Int64(planned) - 1])
    guard let row else { return RunCounts(operations: planned) }
    return RunCounts(
      operations: planned, succeeded: row[0], failed: row[1], skipped: row[2], cancelled: row[3], reused: row[4])
  }
}
