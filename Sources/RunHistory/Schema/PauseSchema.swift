/// Version 19 of the schema: the pauses that are over, for instants within them that are recorded later.
enum PauseSchema {
  // A released migration is never edited, and this is one. Before it, `unpause` gave a pause an end: those that are over stay so, wherever the clock is set.
  static let migration = """
    CREATE TABLE former_pause (
      number INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER NOT NULL,
      reason TEXT,
      who TEXT
    ) STRICT;
    CREATE INDEX former_pause_by_pipeline ON former_pause (pipeline);

    INSERT INTO former_pause (pipeline, since, until, reason, who)
    SELECT p.pipeline, p.at, p.until, p.reason, p.who FROM pause p
    WHERE p.until <= CAST(strftime('%s', 'now') AS INTEGER) * 1000000 AND p.at < p.until;
    DELETE FROM pause WHERE until <= CAST(strftime('%s', 'now') AS INTEGER) * 1000000;

    """
}
