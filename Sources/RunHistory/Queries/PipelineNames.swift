import Glibc
import SQLite

/// The names of pipelines in a history.
package enum PipelineNames {
  /// Returns the names of all pipelines with runs, in order, using one index step for each.
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

/// Pattern matching by the rules of the database's `GLOB`.
enum NamePatternMatch {
  static func matches(_ name: String, _ pattern: String) -> Bool {
    // Without flags, fnmatch treats `*`, `?` and `[…]` as GLOB does.
    fnmatch(pattern, name, 0) == 0
  }
}
