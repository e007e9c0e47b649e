import Workspace

/// A pipeline that does not start by itself for a while.
struct StoredPause: Storable {
  var pipeline: String
  /// Nil until it is ended.
  var until: Int64?
  var reason: String?
  var who: String?
  var at: Int64

  static let pipeline = Field("pipeline", \StoredPause.pipeline)
  static let until = Field("until", \StoredPause.until)
  static let reason = Field("reason", \StoredPause.reason)
  static let who = Field("who", \StoredPause.who)
  static let at = Field("at", \StoredPause.at)
  static let schema = ObjectSchema("pause", StoredPause.init, pipeline, until, reason, who, at, key: pipeline)
}
