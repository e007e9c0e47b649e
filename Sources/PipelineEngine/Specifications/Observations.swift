import RunHistory

/// The sources of changes for the conditions of all runs of a host: files, the workspace, the latest runs of pipelines, and the host's activity.
final class Observations: Sendable {
  let paths: PathWatch
  let watch: WorkspaceWatch
  let latestRuns: LatestRuns
  let activity = HostActivity()

  init(loop: EventLoop, history: History) {
    paths = PathWatch(loop: loop)
    watch = WorkspaceWatch(loop: loop, history: history)
    latestRuns = LatestRuns(history: history)
  }
}
