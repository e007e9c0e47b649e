import SQLite
import Workspace

/// Reads runs with what is not in their rows: whether their processes are there, and what has become of their operations so far.
enum RunRows {
  /// A run as it is recorded, with the number that addresses its operations.
  struct Numbered {
    let stored: StoredRun
    /// Whether the record said when it was read that the run goes on, but its process was gone.
    let isAbandoned: Bool
    var record: RunRecord

    /// Nil for a row whose words this version does not know, which only another program can have written.
    init?(_ stored: StoredRun, in db: Database) {
      guard let record = stored.record else { return nil }
      self.stored = stored
      // One that waits for its turn belongs to nobody.
      isAbandoned = !record.state.isFinal && !record.isUnowned && !record.owner.isAlive(in: db)
      self.record = record
    }

    var number: Int64 { stored.number }

    /// Whether `resume` could go on with it.
    var isInterrupted: Bool { record.state == .interrupted || isAbandoned }
  }

  /// Adds the row of a run with its definition, and returns its number. Needs a write transaction.
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

  /// The runs for which a condition is true, by their numbers.
  static func all(_ condition: Condition<StoredRun>, in db: Database) throws -> [Numbered] {
    try db.fetch(for: StoredRun.self).where(condition).compactMap { Numbered($0, in: db) }
  }

  /// The record as readers see it: interrupted if its process is gone, and counted if its end has not recorded the counts.
  static func presented(_ run: Numbered, in db: Database) throws -> RunRecord {
    var record = run.record
    if run.isAbandoned { record.state = .interrupted }
    if record.endedAt == nil {
      record.counts = try counts(of: run.number, planned: record.counts.operations, in: db)
    }
    return record
  }

  /// In SQL: five counts in one walk, which groups would have to be sorted for.
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
