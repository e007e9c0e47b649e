import Workspace

extension History {
  /// Returns the instant that a run was given to stand for, if it differs from its start: that of a late schedule, of a backfill, or of `--at`, also
  /// of a run that this one retries.
  package func instantApart(of run: RunRecord) throws(WorkspaceError) -> RecordTime? {
    guard let instant = run.instant else { return nil }
    let start = run.startedAt ?? run.createdAt
    guard ClockText.dateAndTime(instant) != ClockText.dateAndTime(start) else { return nil }
    // A retry stands for the start of the original run if that was given no instant.
    guard run.trigger == .retry else { return instant }
    return try origin(of: run).instant == nil ? nil : instant
  }

  /// Returns the latest run of a pipeline for each instant in a range that a run was given to stand for. Nested and partial runs do not count.
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
