import Workspace

/// The current value of a condition of a served pipeline.
struct StoredSpecification: Storable {
  var pipeline: String
  /// The pipeline's key for the condition.
  var name: String
  var formula: String
  /// 1 or 0; nil if unknown.
  var value: Int64?
  /// When it got that value.
  var since: Int64
  var reason: String?

  static let pipeline = Field("pipeline", \StoredSpecification.pipeline)
  static let name = Field("name", \StoredSpecification.name)
  static let formula = Field("formula", \StoredSpecification.formula)
  static let value = Field("value", \StoredSpecification.value)
  static let since = Field("since", \StoredSpecification.since)
  static let reason = Field("reason", \StoredSpecification.reason)
  static let schema = ObjectSchema(
    "specification_record", StoredSpecification.init, pipeline, name, formula, value, since, reason,
    key: [pipeline, name])
}
