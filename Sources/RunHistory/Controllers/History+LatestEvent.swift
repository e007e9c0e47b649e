import SQLite
import Values
import Workspace

extension History {
  /// Returns the event of the latest run of a pipeline that a controller began for the feed at `url`, or nil if there is none.
  ///
  /// The event is as durable as the run. Events that led to no run are not included.
  package func latestEvent(
    of pipeline: String, from controller: String, url: String
  ) throws(WorkspaceError) -> JSONValue? {
    let text = try read { db in
      try db.fetch(for: StoredRun.self)
        .select(
          StoredRun.event,
          where: StoredRun.pipeline == pipeline && StoredRun.controller == controller
            && .sql("json_extract(run_record.event, '$.url') = ?", [.text(url)]), limit: 1,
          orderBy: [StoredRun.createdAt.descending, StoredRun.number.descending]
        ).first.flatMap { $0 }
    }
    return text.flatMap { try? JSONValue.parse($0) }
  }
}
