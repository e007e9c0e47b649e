import Glibc
import OperatingSystem
import SQLite
import Workspace

extension History {
  /// Everything recorded of a run, in one snapshot; nil if there is no such run.
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

  /// More instances no run has: they would not fit into memory.
  private static let highestOrdinal = 1 << 22

  /// As ``loadForResume(_:)``, for executing the rest: its results will be handed on.
  ///
  /// - Throws: ``WorkspaceError/unreadable(path:field:value:)`` where a result is not in a file of a run, as in a record that somebody made up.
  package func loadForExecution(_ run: RunID) throws(WorkspaceError) -> RecordedRun? {
    guard let recorded = try loadForResume(run) else { return nil }
    for operation in recorded.operations {
      // A place is made for each ordinal below the highest.
      guard operation.ordinal <= Self.highestOrdinal else {
        throw .unreadable(path: workspace.path, field: "key of '\(operation.name)'", value: "\(operation.ordinal)")
      }
      guard case .file(let path, _) = operation.result, !isFileOfRun(path) else { continue }
      throw .unreadable(path: workspace.path, field: "result_file of '\(operation.name)'", value: "'\(path)'")
    }
    return recorded
  }

  /// The executors, besides those of these names, that may still have jobs of an interrupted run or of interrupted runs nested in it: of each operation the
  /// latest attempt ended with its host.
  package func executorsWithJobs(of run: RunID, besides known: [String]) throws(WorkspaceError) -> [String] {
    // Nobody may have noticed yet that its host is gone.
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

  /// Whether a recorded path names a regular file of a run, or one that is gone.
  func isFileOfRun(_ path: String) -> Bool {
    guard let file = RunFilePath(path) else { return false }
    do {
      _ = try file.open(in: workspace.directory)
      return true
    } catch {
      return if case .system(_, ENOENT) = error { true } else { false }
    }
  }

  /// Whether a recorded path names a regular file of a run that has as many bytes as recorded.
  package func isIntact(_ path: String, size: Int64) -> Bool {
    guard let file = try? RunFilePath.open(path, in: workspace.directory) else { return false }
    return file.size == size
  }

  /// The latest succeeded record of an operation with that fingerprint that ended at or after `notBefore` and, unless that is nil, at or before `notAfter`.
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
