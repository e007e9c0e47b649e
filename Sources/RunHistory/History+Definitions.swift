import SQLite
import Workspace

extension History {
  /// The text of the definition that the latest run of each pipeline has, in order of the names of the pipelines; empty where it is lost.
  ///
  /// - Parameter pipeline: A name or a pattern; nil for all.
  /// - Returns: The names with the texts.
  /// - Throws: ``WorkspaceError`` if the workspace cannot be read.
  package func latestDefinitions(pipeline: String? = nil) throws(WorkspaceError) -> [(name: String, text: String)] {
    try read { db in
      let names =
        try pipeline.map { pattern in
          try String.fetchAll(
            db, sql: "SELECT DISTINCT pipeline FROM run_record WHERE pipeline GLOB ? ORDER BY 1", arguments: [pattern])
        } ?? PipelineNames.all(in: db)
      return try names.map { name in
        let text = try String.fetchOne(
          db.cachedStatement(
            sql: """
              SELECT d.text FROM run_record r JOIN definition d ON d.number = r.definition
              WHERE r.pipeline = ? ORDER BY r.created_at DESC LIMIT 1
              """), arguments: [name])
        return (name: name, text: text ?? "")
      }
    }
  }
}
