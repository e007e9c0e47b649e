import Workspace

extension History {
  /// The latest run of a pipeline for each instant of a span that a run was told to stand for. Nested runs, and those of a part of the pipeline, do not count.
  package func latestRuns(
    of pipeline: String, standingFor span: ClosedRange<RecordTime>
  ) throws(WorkspaceError) -> [RecordTime: RunRecord] {
    try read { db in
      var latest: [RecordTime: RunRecord] = [:]
      let isWanted =
        StoredRun.pipeline == pipeline && StoredRun.instant >= span.lowerBound.microseconds
        && StoredRun.instant <= span.upperBound.microseconds && StoredRun.parent.isNil()
      // The order of the index on pipelines and instants.
      try db.fetch(for: StoredRun.self).walk(
        isWanted, orderBy: [StoredRun.instant.ascending, StoredRun.number.ascending]
      ) { stored in
        guard let run = RunRows.Numbered(stored, in: db) else { return true }
        let record = try RunRows.presented(run, in: db)
        if let instant = record.instant, record.origin.selection == .all { latest[instant] = record }
        return true
      }
      return latest
    }
  }
}
