import RunHistory
import SQLite
import Values
import Workspace

extension History {
  /// The event of the latest run of a pipeline that a controller began for the feed at `url`; nil where there is none.
  ///
  /// It is as durable as the run: what a controller told before, and no run was begun for, is not in it.
  func latestEvent(of pipeline: String, from controller: String, url: String) throws(WorkspaceError) -> JSONValue? {
    let text = try read { db in
      try String.fetchOne(
        db,
        sql: """
          SELECT event FROM run_record
          WHERE pipeline = ? AND controller = ? AND json_extract(event, '$.url') = ?
          ORDER BY created_at DESC, number DESC LIMIT 1
          """,
        arguments: [pipeline, controller, url])
    }
    return text.flatMap { try? JSONValue.parse($0) }
  }
}
