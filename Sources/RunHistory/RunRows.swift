import SQLite
import Workspace

/// Reads rows of runs.
enum RunRows {
  /// The columns that ``record(_:)`` expects, in its order, of `run_record r`.
  static let columns = """
    r.number, r.id, r.pipeline, (SELECT d.hash FROM definition d WHERE d.number = r.definition), r.path, r.params, r.trigger,
      r.host, r.user, r.version, r.boot, r.pid, r.process_started, r.parent, r.parent_operation, r.state, r.reason,
      r.created_at, r.started_at, r.ended_at, r.operations, r.succeeded, r.failed, r.skipped, r.cancelled, r.reused,
      r.controller, r.event, r.source, r.selection, r.parent_attempt, r.fence
    """

  /// A run as it is recorded, with the number that addresses its operations.
  struct Numbered {
    var number: Int64
    /// Whether the record said when it was read that the run goes on, but its process was gone.
    let isAbandoned: Bool
    var record: RunRecord
    /// Whether `resume` could go on with it.
    var isInterrupted: Bool { record.state == .interrupted || isAbandoned }
  }

  static func number(of run: RunID, in db: Database) throws -> Int64? {
    try Int64.fetchOne(db.cachedStatement(sql: "SELECT number FROM run_record WHERE id = ?"), arguments: [run.text])
  }

  static func find(_ run: RunID, in db: Database) throws -> Numbered? {
    try Row.fetchOne(
      db.cachedStatement(sql: "SELECT \(columns) FROM run_record r WHERE r.id = ?"), arguments: [run.text]
    ).flatMap { record($0, in: db) }
  }

  /// Nil for a row whose words this version does not know, which only another program can have written.
  static func record(_ row: Row, in db: Database) -> Numbered? {
    guard let id = RunID(row[1] as String), let state = RunState(rawValue: row[15]) else { return nil }
    var parent: RunRecord.Parent?
    if let text = row[13] as String?, let run = RunID(text) {
      parent = RunRecord.Parent(run: run, operation: row[14] as String? ?? "", attempt: row[30])
    }
    let owner = ProcessIdentity(boot: row[10], pid: row.process(11), started: row[12])
    var numbered = Numbered(
      number: row[0], isAbandoned: !state.isFinal && !owner.isAlive(in: db),
      record: RunRecord(
        id: id, pipeline: row[2], definitionHash: row[3] as String? ?? "", path: row[4], params: row[5],
        trigger: RunTrigger(rawValue: row[6]), host: row[7], user: row[8], version: row[9],
        owner: owner, parent: parent, state: state,
        reason: row[16], createdAt: RecordTime(microseconds: row[17]),
        startedAt: (row[18] as Int64?).map(RecordTime.init(microseconds:)),
        endedAt: (row[19] as Int64?).map(RecordTime.init(microseconds:)),
        counts: RunCounts(
          operations: row.count(20), succeeded: row.count(21), failed: row.count(22), skipped: row.count(23),
          cancelled: row.count(24), reused: row.count(25))))
    numbered.record.controller = row[26]
    numbered.record.event = row[27]
    numbered.record.origin = RunOrigin(source: (row[28] as String?).flatMap { RunID($0) }, text: row[29])
    numbered.record.fence = row[31] as Int64? ?? 0
    return numbered
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
