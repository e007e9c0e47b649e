import SQLite
import Workspace

extension History {
  /// Returns the names of all pipelines that have runs, in order.
  package func pipelineNames() throws(WorkspaceError) -> [String] { try read { try PipelineNames.all(in: $0) } }

  /// Returns the text of the definition of each pipeline's latest run, ordered by pipeline name; empty if it is lost.
  ///
  /// - Parameter pipeline: A name or a pattern; nil for all.
  /// - Returns: The names with the texts.
  /// - Throws: ``WorkspaceError`` if the workspace cannot be read.
  package func latestDefinitions(pipeline: String? = nil) throws(WorkspaceError) -> [(name: String, text: String)] {
    try read { db in
      let names =
        try pipeline.map { pattern in
          try PipelineNames.all(in: db).filter { NamePatternMatch.matches($0, pattern) }
        } ?? PipelineNames.all(in: db)
      return try names.map { name in
        let latest = try db.fetch(for: StoredRun.self)
          .select(
            StoredRun.definitionHash, where: StoredRun.pipeline == name, limit: 1,
            orderBy: [StoredRun.createdAt.descending, StoredRun.number.descending]
          ).first.flatMap { $0 }
        return (name: name, text: try latest.flatMap { try StoredDefinition.text(of: $0, in: db) } ?? "")
      }
    }
  }
}
