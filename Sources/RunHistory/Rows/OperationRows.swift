import SQLite
import Workspace

/// Reads operations and attempts, adjusted if the process that ran them no longer exists.
enum OperationRows {
  /// Returns the instances of a run, by ordinal. Unfinished ones of an abandoned run are pending.
  static func operations(of run: RunRows.Numbered, in db: Database) throws -> [OperationRecord] {
    try db.fetch(for: StoredOperation.self).where(StoredOperation.of(run.number)).compactMap { stored in
      guard var record = stored.record(of: run.record.id) else { return nil }
      if run.isAbandoned && !record.state.isFinal {
        record.state = .pending
        record.waitingSince = nil
        record.reason = nil
      }
      return record
    }
  }

  /// Returns the attempts of a run, by ordinal and number. Unfinished ones of an abandoned run have failed.
  static func attempts(of run: RunRows.Numbered, ordinal: Int?, in db: Database) throws -> [AttemptRecord] {
    let ofOne = ordinal.map { StoredAttempt.operation == InstanceKey(run: run.number, ordinal: $0).value }
    return try db.fetch(for: StoredAttempt.self).where(ofOne ?? StoredAttempt.of(run.number)).compactMap { stored in
      guard var record = stored.record(of: run.record.id) else { return nil }
      if run.isAbandoned && !record.state.isFinal {
        record.state = .failed
        record.error = .hostDied
      }
      return record
    }
  }

  /// The condition for operations whose result may be reused: the table has an index for the fingerprint and the end.
  static func reusable(
    _ name: String, fingerprint: String, notBefore: RecordTime, notAfter: RecordTime
  ) -> Condition<StoredOperation> {
    StoredOperation.fingerprint == fingerprint
      && StoredOperation.endedAt.between(notBefore.microseconds, notAfter.microseconds)
      && StoredOperation.state == OperationState.succeeded.rawValue && StoredOperation.name == name
  }

  static let latestFirst = [StoredOperation.endedAt.descending, StoredOperation.key.descending]

  /// Returns the latest succeeded instance with the fingerprint in a pipeline.
  static func reusable(
    pipeline: String, operation name: String, fingerprint: String, notBefore: RecordTime, notAfter: RecordTime,
    in db: Database
  ) throws -> OperationRecord? {
    var found: OperationRecord?
    let condition = reusable(name, fingerprint: fingerprint, notBefore: notBefore, notAfter: notAfter)
    try db.fetch(for: StoredOperation.self).walk(condition, orderBy: latestFirst) { stored in
      let run = StoredRun.number == InstanceKey(stored.key).run && StoredRun.pipeline == pipeline
      guard let id = try db.fetch(for: StoredRun.self).select(StoredRun.id, where: run).first, let run = RunID(id)
      else {
        return true
      }
      found = stored.record(of: run)
      return false
    }
    return found
  }
}
