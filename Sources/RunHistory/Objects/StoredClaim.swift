import Workspace

/// An instant of a pipeline for which a run was started.
struct StoredClaim: Storable {
  var number: Int64
  var pipeline: String
  var instant: Int64
  var claimedAt: Int64

  static let number = Field("number", \StoredClaim.number)
  static let pipeline = Field("pipeline", \StoredClaim.pipeline)
  static let instant = Field("instant", \StoredClaim.instant)
  static let claimedAt = Field("claimed_at", \StoredClaim.claimedAt)
  static let schema = ObjectSchema(
    "claim", StoredClaim.init, number, pipeline, instant, claimedAt, key: number)
}
