import Glibc
import OperatingSystem
import SQLite
import Workspace

extension History {
  /// Returns everything recorded about a run, in one snapshot, or nil if there is no such run.
  public func loadForResume(_ run: RunID) throws(WorkspaceError) -> RecordedRun? {
    try read { db in
      guard let found = try RunRows.find(run, in: db) else { return nil }
      let definition = try StoredDefinition.text(of: found.record.definitionHash, in: db)
      var recorded = RecordedRun(
        run: try RunRows.presented(found, in: db), definition: definition ?? "",
        operations: try OperationRows.operations(of: found, in: db),
        attempts: try OperationRows.attempts(of: found, ordinal: nil, in: db),
        approvals: try ApprovalRows.approvals(of: found, onlyPending: false, in: db))
      recorded.nestedDefinitions = try NestedDefinitions.of(found.record.id, in: db)
      recorded.cancellation = try StoredRequest.cancellation(ofRunNumber: found.number, in: db).flatMap(
        PendingRequest.init)
      if recorded.run.state == .queued {
        recorded.turn = try Leases.current(RunRecord.turn(of: recorded.run.pipeline), in: db).flatMap {
          $0.owner.isAlive(in: db) ? $0 : nil
        }
      }
      return recorded
    }
  }

  /// No run has more instances: they would not fit into memory.
  private static let highestOrdinal = 1 << 22

  /// Returns the same as ``loadForResume(_:)``, for a run whose results will be used.
  ///
  /// - Throws: ``WorkspaceError/unreadable(path:field:value:)`` if a result is not in a file of a run, as in a forged record.
  package func loadForExecution(_ run: RunID) throws(WorkspaceError) -> RecordedRun? {
    guard let recorded = try loadForResume(run) else { return nil }
    for operation in recorded.operations {
      // Memory is allocated for each ordinal up to the highest.
      guard operation.ordinal <= Self.highestOrdinal else {
        throw .unreadable(path: workspace.path, field: "key of '\(operation.name)'", value: "\(operation.ordinal)")
      }
      guard case .file(let path, _) = operation.result, !isFileOfRun(path) else { continue }
      throw .unreadable(path: workspace.path, field: "result_file of '\(operation.name)'", value: "'\(path)'")
    }
    return recorded
  }

  /// Returns the executors, except the given ones, that may still have jobs of an interrupted run or of interrupted runs nested in it: for each
  /// operation, those whose latest attempt ended with its host.
  package func executorsWithJobs(of run: RunID, besides known: [String]) throws(WorkspaceError) -> [String] {
    // It may not have been noticed yet that its host no longer exists.
    let unfinished = RunState.allCases.filter { !$0.isFinal || $0 == .interrupted }.map { "'\($0.rawValue)'" }
      .joined(separator: ", ")
    return try read { db in
      try String.fetchAll(
        db,
        sql: """
          WITH RECURSIVE tree (id, number) AS (
            SELECT id, number FROM run_record WHERE id = ?1
            UNION ALL
            SELECT r.id, r.number FROM tree t JOIN run_record r ON r.parent = t.id
            WHERE r.state IN (\(unfinished))
          )
          SELECT DISTINCT a.executor FROM tree t
          JOIN operation_record o ON o.key >= t.number << 32 AND o.key < (t.number + 1) << 32
          JOIN attempt_record a ON a.operation = o.key AND a.number = o.attempts
          WHERE a.executor IS NOT NULL AND (a.state = ?2 OR a.error_code IN (?3, ?4)) ORDER BY a.executor
          """,
        arguments: [
          run.text, OperationState.running.rawValue, RecordedError.hostDied.code, RecordedError.hostDrained.code,
        ]
      ).filter { !known.contains($0) }
    }
  }

  /// Whether a recorded path refers to a regular file of a run, or to one that no longer exists.
  func isFileOfRun(_ path: String) -> Bool {
    guard let file = RunFilePath(path) else { return false }
    do {
      _ = try file.open(in: workspace.directory)
      return true
    } catch {
      return if case .system(_, ENOENT) = error { true } else { false }
    }
  }

  /// Whether a recorded path refers to a regular file of a run that has the recorded size.
  package func isIntact(_ path: String, size: Int64) -> Bool {
    guard let file = try? RunFilePath.open(path, in: workspace.directory) else { return false }
    return file.size == size
  }

  /// Returns the latest succeeded record of an operation with that fingerprint that ended at or after `notBefore` and, unless it is nil, at or before
  /// `notAfter`.
  public func reusable(
    pipeline: String, operation: String, fingerprint: String, notBefore: RecordTime, notAfter: RecordTime? = nil
  ) throws(WorkspaceError) -> OperationRecord? {
    try read {
      try OperationRows.reusable(
        pipeline: pipeline, operation: operation, fingerprint: fingerprint, notBefore: notBefore,
        notAfter: notAfter ?? RecordTime(microseconds: .max), in: $0)
    }
  }
}
