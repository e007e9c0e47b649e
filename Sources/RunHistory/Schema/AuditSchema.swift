/// Version 13 of the schema: who did what, which operation a request concerns, and which run a request to a host concerns.
enum AuditSchema {
  /// The public views of that version.
  static let views = ["audit"]

  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE TABLE audit_record (
      number INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      who TEXT NOT NULL,
      how TEXT NOT NULL,
      what TEXT NOT NULL,
      on_what TEXT NOT NULL,
      detail TEXT
    ) STRICT;

    CREATE VIEW audit AS
    SELECT strftime('%Y-%m-%dT%H:%M:%S', a.at / 1000000 - (a.at % 1000000 < 0), 'unixepoch') || printf('.%03dZ', (a.at % 1000000 + 1000000) % 1000000 / 1000) AS time,
      a.who, a.how, a.what, a.on_what, a.detail
    FROM audit_record a;

    ALTER TABLE request ADD COLUMN operation INTEGER;
    ALTER TABLE host_request ADD COLUMN run TEXT;
    ALTER TABLE host_request ADD COLUMN failure TEXT;

    """
}
