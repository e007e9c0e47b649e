/// Version 12 of the schema: occasions, the queue, and what a host publishes about itself.
enum HostingSchema {
  /// The public views of that version.
  static let views = ["occasions", "queue", "hosts", "pipelines"]

  // A released migration is never edited, and this is one.
  static let migration = tables + claims + publicViews

  /// Each row of `occasion` is something that could have started a run; `queue_entry` contains the runs that have not begun, in the order of their turns.
  private static let tables = """
    CREATE TABLE occasion (
      number INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      cause TEXT NOT NULL,
      controller TEXT,
      instant INTEGER,
      asked_at INTEGER NOT NULL,
      asked_by TEXT,
      outcome TEXT NOT NULL,
      reason TEXT,
      detail TEXT,
      run INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX occasion_by_instant ON occasion (pipeline, instant) WHERE cause = 'instant';
    CREATE INDEX occasion_by_pipeline ON occasion (pipeline);
    CREATE INDEX occasion_by_run ON occasion (run) WHERE run IS NOT NULL;

    CREATE TABLE queue_entry (
      run INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      queue TEXT NOT NULL,
      priority INTEGER NOT NULL,
      asked_at INTEGER NOT NULL,
      start_by INTEGER,
      taken_at INTEGER
    ) STRICT;
    CREATE INDEX queue_entry_by_turn ON queue_entry (queue, priority, pipeline, run) WHERE taken_at IS NULL;
    CREATE INDEX queue_entry_by_pipeline ON queue_entry (pipeline);
    CREATE INDEX queue_entry_by_start ON queue_entry (start_by) WHERE start_by IS NOT NULL AND taken_at IS NULL;
    CREATE INDEX run_owned ON run_record (number) WHERE state IN ('queued', 'running') AND process_started <> -1;

    CREATE TABLE pause (
      pipeline TEXT PRIMARY KEY,
      until INTEGER,
      reason TEXT,
      who TEXT,
      at INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE host_record (
      number INTEGER PRIMARY KEY,
      boot TEXT NOT NULL,
      pid INTEGER NOT NULL,
      process_started INTEGER NOT NULL,
      host TEXT NOT NULL,
      user TEXT NOT NULL,
      version TEXT NOT NULL,
      state TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      ready_at INTEGER,
      ended_at INTEGER,
      configuration TEXT NOT NULL
    ) STRICT;

    CREATE TABLE host_request (
      number INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      who TEXT,
      requested_at INTEGER NOT NULL,
      taken_at INTEGER
    ) STRICT;

    CREATE TABLE pipeline_record (
      name TEXT PRIMARY KEY,
      path TEXT NOT NULL,
      description TEXT,
      labels TEXT,
      queue TEXT NOT NULL,
      priority INTEGER NOT NULL,
      problem TEXT,
      is_loaded INTEGER NOT NULL,
      loaded_at INTEGER NOT NULL,
      next_at INTEGER,
      next_cause TEXT,
      causes TEXT
    ) WITHOUT ROWID, STRICT;

    """

  /// The instants that have started runs become occasions, whose runs are those that stand for them.
  private static let claims = """
    INSERT INTO occasion (pipeline, cause, controller, instant, asked_at, outcome, run)
    SELECT c.pipeline, 'instant', r.controller, c.instant, c.claimed_at, 'run', r.number
    FROM claim c LEFT JOIN run_record r ON r.number = (
      SELECT min(s.number) FROM run_record s WHERE s.pipeline = c.pipeline AND s.instant = c.instant)
    ORDER BY c.number;
    DROP TABLE claim;

    """

  private static func time(_ column: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000 - (\(column) % 1000000 < 0), 'unixepoch') || printf('.%03dZ', (\(column) % 1000000 + 1000000) % 1000000 / 1000)"
  }

  private static let publicViews = """
    CREATE VIEW occasions AS
    SELECT o.pipeline, o.cause, o.controller,
      \(time("o.instant")) AS instant,
      \(time("o.asked_at")) AS asked_at,
      CASE WHEN o.outcome = 'run' AND q.run IS NOT NULL THEN 'queued' ELSE o.outcome END AS outcome,
      o.reason, r.id AS run,
      CASE WHEN o.outcome = 'run' THEN (r.started_at - ifnull(o.instant, o.asked_at)) / 1000.0 END AS late_ms,
      o.asked_by, o.detail
    FROM occasion o LEFT JOIN run_record r ON r.number = o.run LEFT JOIN queue_entry q ON q.run = o.run;

    CREATE VIEW queue AS
    SELECT r.id AS run, q.pipeline, q.queue, q.priority,
      \(time("q.asked_at")) AS asked_at,
      \(time("q.start_by")) AS start_by,
      \(time("q.taken_at")) AS taken_at
    FROM queue_entry q JOIN run_record r ON r.number = q.run;

    CREATE VIEW hosts AS
    SELECT h.host, h.pid, h.user, h.version, h.state,
      \(time("h.started_at")) AS started_at,
      \(time("h.ready_at")) AS ready_at,
      \(time("h.ended_at")) AS ended_at,
      h.configuration
    FROM host_record h;

    CREATE VIEW pipelines AS
    WITH pipeline AS (
      SELECT p.*, s.pipeline IS NOT NULL AS is_paused, s.who AS paused_by, s.reason AS pause_reason, s.until,
        (SELECT l.number FROM run_record l WHERE l.pipeline = p.name AND l.parent IS NULL ORDER BY l.created_at DESC, l.number DESC LIMIT 1) AS last,
        (SELECT max(l.created_at) FROM run_record l WHERE l.pipeline = p.name AND l.parent IS NULL AND l.state = 'succeeded') AS succeeded_at
      FROM pipeline_record p LEFT JOIN pause s ON s.pipeline = p.name
        AND (s.until IS NULL OR s.until > CAST(strftime('%s', 'now') AS INTEGER) * 1000000)
    )
    SELECT p.name, p.path,
      CASE WHEN NOT p.is_loaded THEN 'invalid'
        WHEN EXISTS (SELECT 1 FROM run_record r WHERE r.pipeline = p.name AND r.state = 'running') THEN 'running'
        WHEN p.is_paused THEN 'paused'
        WHEN EXISTS (SELECT 1 FROM queue_entry q WHERE q.pipeline = p.name) THEN 'queued'
        WHEN p.problem IS NOT NULL THEN 'invalid'
        ELSE 'idle' END AS state,
      CASE WHEN p.problem IS NOT NULL THEN p.problem WHEN p.is_paused THEN p.pause_reason END AS reason,
      \(time("p.next_at")) AS next_at,
      p.next_cause,
      r.id AS last_run, r.state AS last_state,
      \(time("(SELECT min(f.created_at) FROM run_record f WHERE f.pipeline = p.name AND f.parent IS NULL AND f.state = 'failed' AND f.created_at > ifnull(p.succeeded_at, 0))")) AS failing_since,
      CASE WHEN p.is_paused THEN p.paused_by END AS paused_by,
      \(time("p.until")) AS paused_until,
      p.queue, p.priority, p.description, ifnull(p.labels, '{}') AS labels,
      \(time("p.loaded_at")) AS loaded_at,
      p.causes
    FROM pipeline p LEFT JOIN run_record r ON r.number = p.last;

    """
}
