import Workspace

/// An occasion as a row of the table.
struct StoredOccasion: Storable {
  var number: Int64
  var pipeline: String
  var cause: String
  var controller: String?
  var instant: Int64?
  var askedAt: Int64
  var askedBy: String?
  var outcome: String
  var reason: String?
  var detail: String?
  /// The number of its run, or of the one that prevented it; nil if that has been pruned.
  var run: Int64?

  static let number = Field("number", \StoredOccasion.number)
  static let pipeline = Field("pipeline", \StoredOccasion.pipeline)
  static let cause = Field("cause", \StoredOccasion.cause)
  static let controller = Field("controller", \StoredOccasion.controller)
  static let instant = Field("instant", \StoredOccasion.instant)
  static let askedAt = Field("asked_at", \StoredOccasion.askedAt)
  static let askedBy = Field("asked_by", \StoredOccasion.askedBy)
  static let outcome = Field("outcome", \StoredOccasion.outcome)
  static let reason = Field("reason", \StoredOccasion.reason)
  static let detail = Field("detail", \StoredOccasion.detail)
  static let run = Field("run", \StoredOccasion.run)
  static let schema = ObjectSchema(
    "occasion", StoredOccasion.init, number, pipeline, cause, controller, instant, askedAt, askedBy, outcome, reason,
    detail, run, key: number)
}
