/// Version 17 of the schema: problems of controllers of served pipelines.
enum ControllerSchema {
  private static func time(_ column: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000 - (\(column) % 1000000 < 0), 'unixepoch') || printf('.%03dZ', (\(column) % 1000000 + 1000000) % 1000000 / 1000)"
  }

  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE TABLE controller_problem (
      pipeline TEXT NOT NULL,
      position INTEGER NOT NULL,
      controller TEXT NOT NULL,
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      is_over INTEGER NOT NULL,
      PRIMARY KEY (pipeline, position)
    ) WITHOUT ROWID, STRICT;

    DROP VIEW pipelines;
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
      CASE WHEN p.problem IS NOT NULL THEN p.problem WHEN p.is_paused THEN p.pause_reason
        ELSE (
          SELECT group_concat('controller ''' || c.controller || ''' ' || iif(c.is_over, 'ended at ', 'has been failing since ')
            || \(time("c.since")) || ': ' || c.reason, '; ')
          FROM controller_problem c WHERE c.pipeline = p.name) END AS reason,
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
