import RunHistory

/// The process that retries or resumes a run.
package enum RunProcess: Sendable {
  /// This process. The associated value is the host that serves the workspace, if any, but is not responsible for the run.
  case here(HostRecord?)
  /// The host that serves the workspace.
  case host(HostRecord)

  /// Decides where a run is retried or resumed, unless it is explicitly requested here.
  ///
  /// The host does it if one serves the workspace, and serves the file of the run or has begun the run itself: it has the environment, the secrets
  /// and the limits intended for the run.
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
