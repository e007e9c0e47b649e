import Workspace

/// The tables of run history, and the public views over them.
///
/// Views and their columns are public: their names and meanings do not change, and new columns are added at the end. Tables are not public: query the
/// views. Times in tables are integer microseconds since 1970 UTC, in views ISO 8601 texts in UTC; durations in views are milliseconds.
///
/// An operation instance is addressed by one integer, its *key*: the number of its run in the upper 31 bits, its ordinal in the run in the lower 32.
/// A record is therefore written, and replaced, without any lookup; the instances of a run are adjacent, and a range of keys selects them.
public enum HistorySchema {
  /// The identity and the migrations of a Penstock workspace. The application id is `pens` in ASCII.
  public static let schema = WorkspaceSchema(
    applicationID: 0x7065_6e73,
    migrations: [
      WorkspaceSchema.Migration(number: 1, sql: tables + views(rounded) + durations(itemsAs: nameOfItemsOnce)),
      WorkspaceSchema.Migration(number: 2, sql: plugins + "DROP VIEW runs;\n" + runs(rounded, more: controllers)),
      WorkspaceSchema.Migration(number: 3, sql: TallySchema.migration),
      WorkspaceSchema.Migration(number: 4, sql: itemsApart),
      WorkspaceSchema.Migration(number: 5, sql: drops + views(cut, moreOfRuns: controllers) + gates + events(cut)),
      WorkspaceSchema.Migration(number: 6, sql: origin),
      WorkspaceSchema.Migration(
        number: 7,
        sql: jobs + drops + "DROP VIEW events;\n"
          + views(floored, moreOfRuns: controllers, moreOfAttempts: executors) + events(floored)),
      WorkspaceSchema.Migration(
        number: 8, sql: instants + "DROP VIEW runs;\n" + runs(floored, more: controllers + instant(floored))),
      WorkspaceSchema.Migration(
        number: 9,
        sql: cancellers + "DROP VIEW runs;\n" + runs(floored, more: controllers + instant(floored) + cancelled)),
      WorkspaceSchema.Migration(
        number: 10,
        sql: labels + "DROP VIEW runs;\n"
          + runs(floored, more: controllers + instant(floored) + cancelled + labelled)),
      WorkspaceSchema.Migration(
        number: 11, sql: processorTimes + "DROP VIEW attempts;\n" + attempts(floored, more: executors + usedTimes)),
      WorkspaceSchema.Migration(number: 12, sql: HostingSchema.migration),
      WorkspaceSchema.Migration(number: 13, sql: AuditSchema.migration),
      WorkspaceSchema.Migration(number: 14, sql: SpecificationSchema.migration),
      WorkspaceSchema.Migration(number: 15, sql: ResourceSchema.migration),
      WorkspaceSchema.Migration(number: 16, sql: TurnSchema.migration),
      WorkspaceSchema.Migration(number: 17, sql: ControllerSchema.migration),
      WorkspaceSchema.Migration(number: 18, sql: SuccessSchema.migration),
      WorkspaceSchema.Migration(number: 19, sql: PauseSchema.migration),
      WorkspaceSchema.Migration(number: 20, sql: TurnSchema.betweenQueues),
    ],
    template: .history,
    mapped: [
      StoredRun.self, StoredDefinition.self, StoredOperation.self, StoredAttempt.self, StoredApproval.self,
      StoredRequest.self, StoredPluginValue.self, StoredOccasion.self, StoredQueueEntry.self, StoredPause.self,
      StoredHost.self, StoredHostRequest.self, StoredPipeline.self, StoredAuditEntry.self,
      StoredSpecification.self, StoredControllerProblem.self,
      StoredResource.self, StoredResourceHold.self,
    ], isGuarded: true, folders: ["runs"])

  /// The names of the public views.
  public static let publicViews =
    [
      "runs", "operations", "attempts", "failures", "durations", "approvals", "leases", "gates", "events",
    ] + HostingSchema.views + AuditSchema.views + SpecificationSchema.views + ResourceSchema.views

  // Released migrations are never edited; these texts, and their parts, belong to them.

  /// Returns the SQL of a count that is recorded when a run ends, and computed until then. The operations of the pipeline have the first ordinals;
  /// handlers and the items of loops follow.
  private static func count(_ state: String) -> String {
    """
    CASE WHEN r.ended_at IS NOT NULL THEN r.\(state) ELSE (
        SELECT count(*) FROM operation_record o
        WHERE o.key BETWEEN r.number << 32 AND (r.number << 32) + r.operations - 1 AND o.state = '\(state)') END AS \(state)
    """
  }

  /// Returns the SQL with which a view formats an instant from a column of microseconds.
  private typealias Instant = @Sendable (_ column: String) -> String

  // Until version 5, when the views' milliseconds differed from everything else's.
  private static let rounded: Instant = { "strftime('%Y-%m-%dT%H:%M:%fZ', \($0) / 1000000.0, 'unixepoch')" }
  // Until version 7, when milliseconds before 1970 were negative.
  private static let cut: Instant = {
    "strftime('%Y-%m-%dT%H:%M:%S', \($0) / 1000000, 'unixepoch') || printf('.%03dZ', \($0) / 1000 % 1000)"
  }

  private static let floored: Instant = {
    "strftime('%Y-%m-%dT%H:%M:%S', \($0) / 1000000 - (\($0) % 1000000 < 0), 'unixepoch') || printf('.%03dZ', (\($0) % 1000000 + 1000000) % 1000000 / 1000)"
  }

  // The join is written both ways, so that the planner can go from a run to its operations (a range of keys) and from an operation to its run (a row
  // by number).
  private static let runOfOperation = """
    run_record r ON r.number = o.key >> 32 AND o.key BETWEEN r.number << 32 AND r.number << 32 | 4294967295
    """

  /// Returns the view of durations, in which the items of a loop have the name that `itemsAs` computes.
  private static func durations(itemsAs name: String) -> String {
    """
    CREATE VIEW durations AS
    WITH timed AS (
      SELECT r.pipeline,
        CASE WHEN instr(o.name, '[') > 0 THEN \(name) ELSE o.name END AS operation,
        (o.ended_at - o.started_at) / 1000.0 AS ms
      FROM operation_record o JOIN \(runOfOperation)
      WHERE o.state = 'succeeded' AND o.started_at IS NOT NULL AND o.ended_at IS NOT NULL
    ), ranked AS (
      SELECT pipeline, operation, ms,
        row_number() OVER (PARTITION BY pipeline, operation ORDER BY ms) AS place,
        count(*) OVER (PARTITION BY pipeline, operation) AS total
      FROM timed
    )
    SELECT pipeline, operation, count(*) AS runs, avg(ms) AS average_ms,
      min(ms) FILTER (WHERE place >= total * 0.5) AS p50_ms,
      min(ms) FILTER (WHERE place >= total * 0.95) AS p95_ms,
      max(ms) AS max_ms
    FROM ranked GROUP BY pipeline, operation;
    """
  }

  // Since version 2.
  private static let controllers = ", r.controller, r.event"

  /// Returns the view of runs, with `more` columns at its end.
  private static func runs(_ instant: Instant, more: String = "") -> String {
    """
    CREATE VIEW runs AS
    SELECT r.id, r.pipeline, r.state, r.reason, r.trigger,
      \(instant("r.started_at")) AS started_at,
      \(instant("r.ended_at")) AS ended_at,
      (r.ended_at - r.started_at) / 1000.0 AS duration_ms,
      \(instant("r.created_at")) AS created_at,
      r.host, r.user, r.version, r.params,
      (SELECT d.hash FROM definition d WHERE d.number = r.definition) AS definition,
      r.path, r.parent, r.parent_operation, r.operations,
      \(count("succeeded")),
      \(count("failed")),
      \(count("skipped")),
      \(count("cancelled")),
      \(count("reused")),
      r.pid\(more)
    FROM run_record r;

    """
  }

  /// Returns the view of attempts, with `more` columns at its end.
  private static func attempts(_ instant: Instant, more: String = "") -> String {
    """
    CREATE VIEW attempts AS
    SELECT r.id AS run, o.name AS operation, a.number, a.state,
      \(instant("a.started_at")) AS started_at,
      \(instant("a.ended_at")) AS ended_at,
      (a.ended_at - a.started_at) / 1000.0 AS duration_ms,
      a.exit_code, a.signal, a.error, a.error_code,
      CASE WHEN a.result IS NULL AND a.state = 'succeeded' AND a.number = o.attempts THEN o.result ELSE a.result END AS result,
      a.stdout_file, a.stderr_file, a.retry_delay / 1000.0 AS retry_delay_ms, a.wake_cause, a.pid\(more)
    FROM attempt_record a
    JOIN operation_record o ON o.key = a.operation
    JOIN \(runOfOperation);

    """
  }

  /// Returns the views except that of durations.
  private static func views(_ instant: Instant, moreOfRuns: String = "", moreOfAttempts: String = "") -> String {
    runs(instant, more: moreOfRuns) + """
      CREATE VIEW operations AS
      SELECT r.id AS run, o.name AS operation, o.position,
        (SELECT p.name FROM operation_record p WHERE p.key = r.number << 32 | o.parent) AS parent,
        o.item, o.state, o.reason, o.error, o.attempts,
        \(instant("o.waiting_since")) AS waiting_since,
        \(instant("o.started_at")) AS started_at,
        \(instant("o.ended_at")) AS ended_at,
        (o.ended_at - o.started_at) / 1000.0 AS duration_ms,
        o.result, o.result_file, o.reused_from, o.fingerprint, o.error_code, o.detail
      FROM operation_record o JOIN \(runOfOperation);

      \(attempts(instant, more: moreOfAttempts))
      CREATE VIEW failures AS
      SELECT r.id AS run, r.pipeline, o.name AS operation, o.error_code, o.error,
        \(instant("o.ended_at")) AS ended_at,
        o.attempts, a.exit_code, a.signal, a.stdout_file, a.stderr_file
      FROM operation_record o
      JOIN \(runOfOperation)
      LEFT JOIN attempt_record a ON a.operation = o.key AND a.number = o.attempts
      WHERE o.state = 'failed';

      CREATE VIEW approvals AS
      SELECT r.id AS run, o.name AS operation,
        CASE WHEN o.approved = 1 THEN 'approved' WHEN o.approved = 0 THEN 'rejected'
          WHEN r.state IN ('queued', 'running', 'interrupted') AND p.state IN ('pending', 'waiting', 'running', 'retrying')
            THEN 'pending'
          ELSE 'unanswered' END AS state,
        o.message,
        \(instant("o.requested_at")) AS requested_at,
        \(instant("o.answered_at")) AS answered_at,
        o.note, o.who
      FROM approval o JOIN run_record r ON r.number = o.operation >> 32
        LEFT JOIN operation_record p ON p.key = o.operation;

      """
  }

  // Until version 4, by the name of the loop.
  private static let nameOfItemsOnce = "substr(o.name, 1, instr(o.name, '[') - 1)"
  private static let nameOfItems = "substr(o.name, 1, instr(o.name, '[')) || '*]'"

  // Version 4: the items of a loop have their own row in `durations`, and days are counted again so that they have one in statistics, too.
  private static let itemsApart = """
    DROP VIEW durations;
    \(durations(itemsAs: nameOfItems))

    UPDATE daily_tally SET tally = NULL WHERE tally IS NOT NULL;
    """

  // Version 5.
  private static let drops = ["runs", "operations", "attempts", "failures", "approvals"].map { "DROP VIEW \($0);\n" }
    .joined()

  private static let gates = """
    CREATE VIEW gates AS
    SELECT r.id AS run, r.pipeline, o.name AS operation,
      ifnull(json_extract(o.detail, '$.gate.formula'), json_extract(o.detail, '$.formula')) AS formula,
      CASE WHEN json_extract(o.detail, '$.gate') IS NOT NULL THEN 'open' WHEN o.state = 'waiting' THEN 'waiting'
        ELSE 'closed' END AS state,
      ifnull(json_extract(o.detail, '$.gate.opened_by'), json_extract(o.detail, '$.why')) AS reason,
      ifnull(json_extract(o.detail, '$.gate.since'), json_extract(o.detail, '$.since')) AS waiting_since,
      json_extract(o.detail, '$.gate.opened_at') AS opened_at,
      json_extract(o.detail, '$.due') AS due
    FROM operation_record o JOIN \(runOfOperation)
    WHERE json_extract(o.detail, '$.gate') IS NOT NULL OR json_extract(o.detail, '$.formula') IS NOT NULL;

    """

  private static func events(_ instant: Instant) -> String {
    """
    CREATE VIEW events AS
    WITH event AS (
      SELECT r.number AS run, NULL AS operation, NULL AS attempt, 'created' AS event, r.created_at AS at, r.trigger AS reason
        FROM run_record r
      UNION ALL SELECT r.number, NULL, NULL, 'started', r.started_at, NULL FROM run_record r
      UNION ALL SELECT r.number, NULL, NULL, r.state, r.ended_at, r.reason FROM run_record r
      UNION ALL SELECT o.key >> 32, o.name, NULL, 'waiting', o.waiting_since, o.reason FROM operation_record o
      UNION ALL SELECT o.key >> 32, o.name, NULL, 'started', o.started_at, NULL FROM operation_record o
      UNION ALL SELECT o.key >> 32, o.name, NULL, o.state, o.ended_at, o.error FROM operation_record o
      UNION ALL SELECT a.operation >> 32, o.name, a.number, 'started', a.started_at, NULL
        FROM attempt_record a JOIN operation_record o ON o.key = a.operation
      UNION ALL SELECT a.operation >> 32, o.name, a.number, a.state, a.ended_at, a.error
        FROM attempt_record a JOIN operation_record o ON o.key = a.operation
      UNION ALL SELECT p.operation >> 32, p.name, NULL, 'asked', p.requested_at, p.message FROM approval p
      UNION ALL SELECT p.operation >> 32, p.name, NULL, CASE p.approved WHEN 1 THEN 'approved' ELSE 'rejected' END,
        p.answered_at, p.note FROM approval p
    )
    SELECT r.id AS run, r.pipeline, event.operation, event.attempt, event.event, \(instant("event.at")) AS at, event.reason
    FROM event JOIN run_record r ON r.number = event.run WHERE event.at IS NOT NULL;

    """
  }

  // Version 6: what a run reuses, from which run, which attempt of its parent started it, and how often its host has changed.
  private static let origin = """
    ALTER TABLE run_record ADD COLUMN source TEXT;
    ALTER TABLE run_record ADD COLUMN selection TEXT;
    ALTER TABLE run_record ADD COLUMN parent_attempt INTEGER;
    ALTER TABLE run_record ADD COLUMN fence INTEGER;

    """

  // Version 7: where the job of an attempt runs, and its name there. Most are processes of the host's computer, which need no columns for that.
  private static let jobs = """
    ALTER TABLE attempt_record ADD COLUMN executor TEXT;
    ALTER TABLE attempt_record ADD COLUMN handle TEXT;

    """
  private static let executors =
    ", ifnull(a.executor, iif(a.pid IS NULL, NULL, 'local')) AS executor, ifnull(a.handle, CAST(a.pid AS TEXT)) AS handle"

  // Version 8: the instant that a run stands for. A backfill queries the runs of a pipeline by it; most runs have none.
  private static let instants = """
    ALTER TABLE run_record ADD COLUMN instant INTEGER;
    CREATE INDEX run_by_instant ON run_record (pipeline, instant) WHERE instant IS NOT NULL;

    """
  private static func instant(_ text: Instant) -> String { ", \(text("r.instant")) AS at" }

  // Version 9: who or what cancelled a run, and who requests that of a host.
  private static let cancellers = """
    ALTER TABLE run_record ADD COLUMN cancelled_by TEXT;
    ALTER TABLE run_record ADD COLUMN cancelled_with TEXT;
    ALTER TABLE request ADD COLUMN who TEXT;
    ALTER TABLE request ADD COLUMN means TEXT;

    """
  private static let cancelled = ", r.cancelled_by, r.cancelled_with"

  // Version 10: the labels of runs, as a JSON object; most have none.
  private static let labels = "ALTER TABLE run_record ADD COLUMN labels TEXT;\n"
  private static let labelled = ", ifnull(r.labels, '{}') AS labels"

  // Version 11: the processor time used by the processes of an attempt.
  private static let processorTimes = """
    ALTER TABLE attempt_record ADD COLUMN user_time INTEGER;
    ALTER TABLE attempt_record ADD COLUMN system_time INTEGER;

    """
  private static let usedTimes = ", a.user_time / 1000.0 AS user_ms, a.system_time / 1000.0 AS system_ms"

  // Version 2: the tables for plugins. `claim` held the instants for which a run was started, so that none is started twice, until version 12.
  private static let plugins = """
    CREATE TABLE plugin_value (
      plugin TEXT NOT NULL,
      pipeline TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (plugin, pipeline, key)
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE claim (
      number INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      instant INTEGER NOT NULL,
      claimed_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX claim_by_instant ON claim (pipeline, instant);

    ALTER TABLE run_record ADD COLUMN controller TEXT;
    ALTER TABLE run_record ADD COLUMN event TEXT;

    """
}
