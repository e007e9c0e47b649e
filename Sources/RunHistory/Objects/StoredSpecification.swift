import Workspace

/// What a condition of a served pipeline is.
struct StoredSpecification: Storable {
  var pipeline: String
  /// The key of the pipeline that has it.
  var name: String
  var formula: String
  /// 1 or 0; nil where nobody knows.
  var value: Int64?
  /// Since when it has that value.
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
