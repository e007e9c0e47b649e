/// Version 16 of the schema: the pipeline of the latest turn, so that the order between pipelines outlives a host and can be determined in advance.
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
