import SQLite
import Values
import Workspace

/// Which instants of a pipeline have started a run already, whatever host it was.
enum EventClaims {
  /// How many instants of a pipeline are remembered. An older one counts as claimed.
  static let remembered = 10_000
  /// How many claims come between two looks at what may be forgotten.
  private static let interval: Int64 = 256

  /// Claims an instant for a run that the caller will start. False when it was claimed before. Needs a write transaction.
  static func claim(
    _ instant: RecordTime, of pipeline: String, at time: RecordTime, in db: Database
  ) throws -> Bool {
    if let oldest = try oldestRemembered(of: pipeline, in: db), instant.microseconds < oldest { return false }
    // In SQL, which numbers the row, and does nothing where the instant is taken.
    try db.cachedStatement(
      sql: "INSERT INTO claim (pipeline, instant, claimed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    ).execute(arguments: [pipeline, instant.microseconds, time.microseconds])
    guard db.changesCount > 0 else { return false }
    if db.lastInsertedRowID % interval == 0, let oldest = try oldestRemembered(of: pipeline, in: db) {
      _ = try db.changing([StoredClaim.self]) {
        try $0.delete(StoredClaim.self, where: StoredClaim.pipeline == pipeline && StoredClaim.instant < oldest)
      }
    }
    return true
  }

  /// The oldest instant that is remembered, once there are more than may be.
  private static func oldestRemembered(of pipeline: String, in db: Database) throws -> Int64? {
    try db.fetch(for: StoredClaim.self)
      .select(
        StoredClaim.instant, where: StoredClaim.pipeline == pipeline, limit: 1, offset: remembered - 1,
        orderBy: [StoredClaim.instant.descending, StoredClaim.number.descending]
      ).first
  }
}

extension HistoryRecorder {
  /// Claims an instant of a pipeline for a run that the caller will start; durable when it returns. False when a run was started for it before.
  package nonisolated(nonsending) func claim(
    _ instant: RecordTime, of pipeline: String, at time: RecordTime
  ) async throws -> Bool {
    let isNew = try await perform { try EventClaims.claim(instant, of: pipeline, at: time, in: $0) }
    try await flush()
    return isNew
  }
}
