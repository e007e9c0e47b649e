import RunHistory
import SQLite

@testable import Server

/// The records that a simulation has left in its workspace.
struct Ledger {
  struct Occasion {
    var pipeline: String
    var cause: String
    /// In microseconds since 1970, as all times here.
    var instant: Int64?
    var askedAt: Int64
    var outcome: String
    var reason: String?
    var run: Int64?
    var detail: String?
  }

  struct Run {
    var number: Int64
    var pipeline: String
    var state: String
    var createdAt: Int64
    var startedAt: Int64?
    var endedAt: Int64?
    var reason: String?
    /// The number of occasions that requested it.
    var occasions: Int
    /// Whether it is still queued.
    var isQueued: Bool
    /// The run that replaced it.
    var replacedBy: Int64?
  }

  /// Attempts that follow a successful one, or that are still recorded as running.
  private(set) var strangeAttempts: [String] = []
  private(set) var occasions: [Occasion] = []
  private(set) var runs: [Int64: Run] = [:]

  init(_ workspace: String) throws {
    let history = try History.open(at: workspace, mode: .readOnly)
    defer { history.workspace.close() }
    strangeAttempts = try history.workspace.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT 'run ' || a.run || ' has begun ' || a.operation || ' again, which had succeeded' FROM attempts a
          WHERE EXISTS (SELECT 1 FROM attempts b WHERE b.run = a.run AND b.operation = a.operation AND b.number < a.number
            AND b.state = 'succeeded')
          UNION ALL
          SELECT 'an attempt of ' || a.operation || ' in run ' || a.run || ' goes on' FROM attempts a WHERE a.state = 'running'
          """)
    }
    (occasions, runs) = try history.workspace.read { db in
      let occasions = try Row.fetchAll(
        db, sql: "SELECT pipeline, cause, instant, asked_at, outcome, reason, run, detail FROM occasion ORDER BY number"
      ).map {
        Occasion(
          pipeline: $0[0], cause: $0[1], instant: $0[2], askedAt: $0[3], outcome: $0[4], reason: $0[5], run: $0[6],
          detail: $0[7])
      }
      let runs = try Row.fetchAll(
        db,
        sql: """
          SELECT r.number, r.pipeline, r.state, r.created_at, r.started_at, r.ended_at, r.reason,
            (SELECT count(*) FROM occasion o WHERE o.run = r.number AND o.outcome IN ('run', 'replaced')
              OR o.run = r.number AND o.reason IN ('too-late', 'cancelled'))
              -- The occasion of one that gave way names the run that was in its way.
              + (r.started_at IS NULL AND ifnull(r.reason, '') LIKE 'overlap: run %'),
            EXISTS (SELECT 1 FROM queue_entry q WHERE q.run = r.number),
            (SELECT s.number FROM run_record s WHERE s.id = r.cancelled_by AND r.cancelled_with = 'overlap')
          FROM run_record r ORDER BY r.number
          """
      ).map {
        Run(
          number: $0[0], pipeline: $0[1], state: $0[2], createdAt: $0[3], startedAt: $0[4], endedAt: $0[5],
          reason: $0[6], occasions: $0[7], isQueued: $0[8], replacedBy: $0[9])
      }
      return (occasions, Dictionary(uniqueKeysWithValues: runs.map { ($0.number, $0) }))
    }
  }

  /// Returns one line for each occasion and its run, without anything random such as the ids and numbers of runs.
  var lines: [String] {
    occasions.map { occasion in
      let run = occasion.run.flatMap { runs[$0] }
      let times = [occasion.instant, occasion.askedAt, run?.createdAt, run?.startedAt, run?.endedAt]
      return
        ([occasion.pipeline, occasion.cause] + times.map { $0.map { "\($0)" } ?? "-" }
        + [occasion.outcome, occasion.reason ?? "-", run?.state ?? "-"]).joined(separator: " ")
    }.sorted()
  }
}
