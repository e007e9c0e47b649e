/// Version 16 of the schema: the pipeline of the latest turn, so that the order between pipelines outlives a host and can be determined in advance.
enum TurnSchema {
  // A released migration is never edited, and these are released.
  static let migration = """
    CREATE TABLE queue_turn (
      queue TEXT NOT NULL,
      priority INTEGER NOT NULL,
      pipeline TEXT NOT NULL,
      PRIMARY KEY (queue, priority)
    ) WITHOUT ROWID, STRICT;

    """

  /// Version 20: the latest turn of each pipeline, so that turns also alternate between queues.
  static let betweenQueues = """
    CREATE TABLE pipeline_turn (
      pipeline TEXT NOT NULL,
      priority INTEGER NOT NULL,
      turn INTEGER NOT NULL,
      PRIMARY KEY (pipeline, priority)
    ) WITHOUT ROWID, STRICT;
    CREATE INDEX pipeline_turn_by_turn ON pipeline_turn (turn);

    """
}
