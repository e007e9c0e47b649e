/// The tables of every workspace, whatever its schema: currently the leases.
enum WorkspaceTables {
  /// Never edited once released; a change is appended.
  static let migrations: [String] = [
    """
    CREATE TABLE lease_record (
      name TEXT PRIMARY KEY,
      fence INTEGER NOT NULL,
      holder TEXT,
      boot TEXT,
      pid INTEGER,
      process_started INTEGER,
      acquired_at INTEGER
    ) WITHOUT ROWID, STRICT;

    CREATE VIEW leases AS
    SELECT name, holder, fence, pid,
      strftime('%Y-%m-%dT%H:%M:%fZ', acquired_at / 1000000.0, 'unixepoch') AS acquired_at
    FROM lease_record WHERE holder IS NOT NULL;
    """
  ]
}
