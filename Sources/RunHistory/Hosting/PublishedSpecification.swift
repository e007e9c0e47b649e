/// The value of a condition of a served pipeline, as the host publishes it.
public struct PublishedSpecification: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// The key of the pipeline that has the condition: `automatic` or `rerun_on_change`.
  public var name: String
  /// The text of the condition.
  public var formula: String
  /// Whether it is true; nil if unknown.
  public var value: Bool?
  /// The reason, for people to read.
  public var reason: String?
  /// When it got that value.
  public var since: RecordTime

  /// Creates the value of a condition.
  public init(
    pipeline: String, name: String, formula: String, value: Bool?, reason: String? = nil, since: RecordTime
  ) {
    self.pipeline = pipeline
    self.name = name
    self.formula = formula
    self.value = value
    self.reason = reason
    self.since = since
  }
}
