/// The resources that all processes on a workspace share: the amount of each, as the workspace's host has declared it, and what operations hold of it.
enum ResourceSchema {
  /// The public views of that version.
  static let views = ["resources"]

  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE TABLE resource_record (
      key TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      amount INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE resource_hold (
      number INTEGER PRIMARY KEY,
      resource TEXT NOT NULL,
      amount INTEGER NOT NULL,
      boot TEXT NOT NULL,
      pid INTEGER NOT NULL,
      process_started INTEGER NOT NULL,
      run TEXT NOT NULL,
      operation TEXT NOT NULL,
      taken_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX resource_hold_by_resource ON resource_hold (resource);

    CREATE VIEW resources AS
    SELECT r.name, r.amount,
      (SELECT coalesce(sum(h.amount), 0) FROM resource_hold h WHERE h.resource = r.key) AS held,
      (SELECT json_group_array(json_object('run', h.run, 'operation', h.operation, 'amount', h.amount, 'pid', h.pid))
        FROM resource_hold h WHERE h.resource = r.key) AS holders
    FROM resource_record r;

    """
}
