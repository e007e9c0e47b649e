/// Version 14 of the schema: the current and earlier values of the conditions of served pipelines.
enum SpecificationSchema {
  /// The public views of that version.
  static let views = ["specifications", "specification_changes"]

  private static func time(_ column: String) -> String {
    "strftime('%Y-%m-%dT%H:%M:%S', \(column) / 1000000 - (\(column) % 1000000 < 0), 'unixepoch') || printf('.%03dZ', (\(column) % 1000000 + 1000000) % 1000000 / 1000)"
  }

  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE TABLE specification_record (
      pipeline TEXT NOT NULL,
      name TEXT NOT NULL,
      formula TEXT NOT NULL,
      value INTEGER,
      since INTEGER NOT NULL,
      reason TEXT,
      PRIMARY KEY (pipeline, name)
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE specification_change (
      number INTEGER PRIMARY KEY,
      pipeline TEXT NOT NULL,
      name TEXT NOT NULL,
      formula TEXT NOT NULL,
      value INTEGER,
      at INTEGER NOT NULL,
      reason TEXT
    ) STRICT;
    CREATE INDEX specification_change_by_name ON specification_change (pipeline, name);

    CREATE VIEW specifications AS
    SELECT s.pipeline, s.name, s.formula, s.value, \(time("s.since")) AS since, s.reason FROM specification_record s;

    CREATE VIEW specification_changes AS
    SELECT c.pipeline, c.name, c.formula, c.value, \(time("c.at")) AS at, c.reason FROM specification_change c;

    """
}
