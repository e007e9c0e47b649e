import Workspace

/// What keeps a controller of a served pipeline from its work.
struct StoredControllerProblem: Storable {
  var pipeline: String
  /// Which of the pipeline's controllers it is.
  var position: Int64
  var controller: String
  var reason: String
  var since: Int64
  /// Whether it is not begun again.
  var isOver: Bool

  static let pipeline = Field("pipeline", \StoredControllerProblem.pipeline)
  static let position = Field("position", \StoredControllerProblem.position)
  static let controller = Field("controller", \StoredControllerProblem.controller)
  static let reason = Field("reason", \StoredControllerProblem.reason)
  static let since = Field("since", \StoredControllerProblem.since)
  static let isOver = Field("is_over", \StoredControllerProblem.isOver)
  static let schema = ObjectSchema(
    "controller_problem", StoredControllerProblem.init, pipeline, position, controller, reason, since, isOver,
    key: [pipeline, position])
}
