import Glibc
import SQLite

/// The names of pipelines in a history.
package enum PipelineNames {
  /// All names that runs have, in order, by one step over the index for each.
  package static func all(in db: Database) throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        WITH RECURSIVE names (name) AS (
          SELECT min(pipeline) FROM run_record
          UNION ALL
          SELECT (SELECT min(pipeline) FROM run_record WHERE pipeline > name) FROM names WHERE name IS NOT NULL)
        SELECT name FROM names WHERE name IS NOT NULL
        """)
  }
}

/// Patterns as the database's `GLOB` reads them.
enum NamePatternMatch {
  static func matches(_ name: String, _ pattern: String) -> Bool {
    // fnmatch without flags takes `*`, `?` and `[…]` as GLOB does.
    fnmatch(pattern, name, 0) == 0
  }
}
