/// Version 16 of the schema: whose turn it was last, so that the turns between pipelines outlive a host and can be told before they are taken.
enum TurnSchema {
  // A released migration is never edited, and this is one.
  static let migration = """
    CREATE TABLE queue_turn (
      queue TEXT NOT NULL,
      priority INTEGER NOT NULL,
      pipeline TEXT NOT NULL,
      PRIMARY KEY (queue, priority)
    ) WITHOUT ROWID, STRICT;

    """
}
