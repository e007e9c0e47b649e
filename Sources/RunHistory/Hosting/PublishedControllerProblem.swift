/// What keeps a controller of a served pipeline from its work, as the host publishes it.
public struct PublishedControllerProblem: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// Which of the pipeline's controllers it is, counted from 0.
  public var position: Int
  /// What the controller is, such as `cron`.
  public var controller: String
  /// What happened last.
  public var reason: String
  /// Since when it has not been well.
  public var since: RecordTime
  /// Whether it has ended, and is not begun again.
  public var isOver: Bool

  /// Creates what is published of a controller.
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
