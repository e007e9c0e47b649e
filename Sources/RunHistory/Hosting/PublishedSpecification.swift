/// What a condition of a served pipeline is, as the host publishes it.
public struct PublishedSpecification: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// The key of the pipeline that has the condition: `automatic` or `rerun_on_change`.
  public var name: String
  /// The condition, as it is written.
  public var formula: String
  /// Whether it is true; nil where nobody knows.
  public var value: Bool?
  /// Why, for people.
  public var reason: String?
  /// Since when it has that value.
  public var since: RecordTime

  /// Creates what is published of a condition.
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
