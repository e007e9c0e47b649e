import SQLite
import Workspace

/// A request to the host of a run as a row of the table.
struct StoredRequest: Storable {
  var number: Int64
  var run: Int64
  var kind: String
  var requestedAt: Int64
  var takenAt: Int64?
  var who: String?
  var means: String?
  /// The ordinal of the operation that it concerns; nil for the whole run.
  var operation: Int64?
  var runID: String?

  static let number = Field("number", \StoredRequest.number)
  static let run = Field("run", \StoredRequest.run)
  static let kind = Field("kind", \StoredRequest.kind)
  static let requestedAt = Field("requested_at", \StoredRequest.requestedAt)
  static let takenAt = Field("taken_at", \StoredRequest.takenAt)
  static let who = Field("who", \StoredRequest.who)
  static let means = Field("means", \StoredRequest.means)
  static let operation = Field("operation", \StoredRequest.operation)
  static let runID = Field(
    "run_id", \StoredRequest.runID, of: StoredRun.id, where: StoredRun.number, equals: run)
  static let schema = ObjectSchema(
    "request", StoredRequest.init, number, run, kind, requestedAt, takenAt, who, means, operation, runID, key: number)
}

extension StoredRequest {
  /// Returns the request to end a run, whether or not a host has claimed it, or nil if there is none. Of several, the first kill takes precedence,
  /// otherwise the first request.
  static func cancellation(ofRunNumber run: Int64, in db: Database) throws -> StoredRequest? {
    let requests = try db.fetch(for: StoredRequest.self).where(
      StoredRequest.run == run && StoredRequest.kind.in(RunRequest.endings.map(\.rawValue)),
      orderBy: [StoredRequest.number.ascending])
    return requests.first { $0.kind == RunRequest.kill.rawValue } ?? requests.first
  }
}
