import Workspace

/// A pipeline that a host serves.
struct StoredPipeline: Storable {
  var name: String
  var path: String
  var description: String?
  var labels: String?
  var queue: String
  var priority: Int64
  /// What is wrong with its file; nil if nothing is.
  var problem: String?
  /// Whether a version of it is loaded, although the current file may have errors.
  var isLoaded: Bool
  var loadedAt: Int64
  var nextAt: Int64?
  var nextCause: String?
  /// What starts it besides instants.
  var causes: String?

  static let name = Field("name", \StoredPipeline.name)
  static let path = Field("path", \StoredPipeline.path)
  static let description = Field("description", \StoredPipeline.description)
  static let labels = Field("labels", \StoredPipeline.labels)
  static let queue = Field("queue", \StoredPipeline.queue)
  static let priority = Field("priority", \StoredPipeline.priority)
  static let problem = Field("problem", \StoredPipeline.problem)
  static let isLoaded = Field("is_loaded", \StoredPipeline.isLoaded)
  static let loadedAt = Field("loaded_at", \StoredPipeline.loadedAt)
  static let nextAt = Field("next_at", \StoredPipeline.nextAt)
  static let nextCause = Field("next_cause", \StoredPipeline.nextCause)
  static let causes = Field("causes", \StoredPipeline.causes)
  static let schema = ObjectSchema(
    "pipeline_record", StoredPipeline.init, name, path, description, labels, queue, priority, problem, isLoaded,
    loadedAt, nextAt, nextCause, causes, key: name)
}
