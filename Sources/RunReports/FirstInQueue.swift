import RunHistory

/// Determines what the first queued run of pipelines waits for. The state of the host and its limits is read at the first question.
final class FirstInQueue {
  private let history: History
  private let disk: (String) -> Checkup.Finding?
  private var reasons: QueueReasons?

  /// - Parameters:
  ///   - history: The history.
  ///   - disk: Checks the free space for a directory.
  init(_ history: History, _ disk: @escaping (String) -> Checkup.Finding?) {
    self.history = history
    self.disk = disk
  }

  /// Determines what the first queued run of a pipeline waits for.
  ///
  /// - Parameter pipeline: The name of the pipeline.
  /// - Returns: The reason, in the words of `penstock queue`; nil if no run is queued.
  /// - Throws: `WorkspaceError`.
  func reason(of pipeline: String) throws -> String? {
    guard let place = try history.queue(of: pipeline, limit: 1).first else { return nil }
    var known = try reasons ?? QueueReasons(in: history, disk: disk)
    defer { reasons = known }
    return try known.reason(of: place)
  }
}
