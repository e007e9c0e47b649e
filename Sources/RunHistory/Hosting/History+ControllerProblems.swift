import Workspace

extension History {
  /// Returns the problems of the controllers of served pipelines, by pipeline and position.
  public func publishedControllerProblems() throws(WorkspaceError) -> [PublishedControllerProblem] {
    try read { db in
      try db.fetch(for: StoredControllerProblem.self)
        .where(
          StoredControllerProblem.position >= 0,
          orderBy: [StoredControllerProblem.pipeline.ascending, StoredControllerProblem.position.ascending]
        )
        .map(\.published)
    }
  }

  /// Publishes the problems of the controllers of `pipelines`, replacing those published before; nil stands for all pipelines.
  package func publish(
    controllerProblems: [PublishedControllerProblem], of pipelines: Set<String>?
  ) throws(WorkspaceError) {
    let published = try publishedControllerProblems().filter { pipelines?.contains($0.pipeline) ?? true }
    guard published != controllerProblems else { return }
    try write { db in
      try db.changing([StoredControllerProblem.self]) { context in
        for name in Set(published.map(\.pipeline)) {
          try context.delete(StoredControllerProblem.self, where: StoredControllerProblem.pipeline == name)
        }
        for problem in controllerProblems {
          try context.submit(StoredControllerProblem.upsertRequest(StoredControllerProblem(problem)))
        }
      }
    }
    workspace.announce()
  }
}

extension StoredControllerProblem {
  fileprivate init(_ problem: PublishedControllerProblem) {
    self.init(
      pipeline: problem.pipeline, position: Int64(problem.position), controller: problem.controller,
      reason: problem.reason, since: problem.since.microseconds, isOver: problem.isOver)
  }

  fileprivate var published: PublishedControllerProblem {
    PublishedControllerProblem(
      pipeline: pipeline, position: Int(clamping: position), controller: controller, reason: reason,
      since: RecordTime(microseconds: since), isOver: isOver)
  }
}
