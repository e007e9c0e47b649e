import Workspace

/// A problem that prevents a controller of a served pipeline from working.
struct StoredControllerProblem: Storable {
  var pipeline: String
  /// The position of the controller in the pipeline.
  var position: Int64
  var controller: String
  var reason: String
  var since: Int64
  /// Whether it is not started again.
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
