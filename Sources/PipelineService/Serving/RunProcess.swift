import RunHistory

/// Which process repeats or resumes a run.
package enum RunProcess: Sendable {
  /// This one. With the host that serves the workspace and has nothing to do with the run, where there is one.
  case here(HostRecord?)
  /// The host that serves the workspace.
  case host(HostRecord)

  /// Where a run is repeated or resumed that nobody wants to have here.
  ///
  /// By the host where one serves the workspace, and serves the file of the run or has begun the run itself: it has the environment, the secrets and the limits
  /// that the run is meant to have.
  package init(of run: RunRecord, in history: History) throws {
    guard let host = try history.currentHost() else {
      self = .here(nil)
      return
    }
    let served = try history.publishedPipeline(run.pipeline)
    let isServed = served.map { $0.path == run.path } ?? false
    self = try isServed || history.hasOccasion(run.id) ? .host(host) : .here(host)
  }
}
