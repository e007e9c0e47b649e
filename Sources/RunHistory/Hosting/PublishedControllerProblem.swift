/// A problem of a controller of a served pipeline, as the host publishes it.
public struct PublishedControllerProblem: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// The position of the controller in the pipeline, from 0.
  public var position: Int
  /// The controller, such as `cron`.
  public var controller: String
  /// What happened last.
  public var reason: String
  /// When the problem began.
  public var since: RecordTime
  /// Whether it has ended, and is not started again.
  public var isOver: Bool

  /// Creates the report of a controller.
  public init(
    pipeline: String, position: Int, controller: String, reason: String, since: RecordTime, isOver: Bool = false
  ) {
    self.pipeline = pipeline
    self.position = position
    self.controller = controller
    self.reason = reason
    self.since = since
    self.isOver = isOver
  }
}
