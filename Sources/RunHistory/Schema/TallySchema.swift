/// The table of ``HistoryTallies``, with the triggers that clear its rows.
enum TallySchema {
  // Version 3. `tally` is null while the day has yet to be counted.
  static let migration = """
    CREATE TABLE daily_tally (
      day INTEGER NOT NULL,
      pipeline TEXT NOT NULL,
      tally BLOB,
      PRIMARY KEY (day, pipeline)
    ) WITHOUT ROWID, STRICT;
    CREATE INDEX daily_tally_missing ON daily_tally (day) WHERE tally IS NULL;

    INSERT INTO daily_tally (day, pipeline) SELECT DISTINCT created_at / 86400000000, pipeline FROM run_record;

    \(trigger("INSERT", row: "NEW"))
    \(trigger("UPDATE", row: "NEW"))
    \(trigger("DELETE", row: "OLD"))
    """

  private static func trigger(_ event: String, row: String) -> String {
    """
    CREATE TRIGGER tally_after_\(event.lowercased()) AFTER \(event) ON run_record BEGIN
      INSERT INTO daily_tally (day, pipeline) VALUES (\(row).created_at / 86400000000, \(row).pipeline)
      ON CONFLICT (day, pipeline) DO UPDATE SET tally = NULL WHERE tally IS NOT NULL;
    END;
    """
  }
}
