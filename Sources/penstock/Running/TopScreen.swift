import PipelineService
import RunHistory

/// Shows the activity in a workspace on a terminal, until a signal ends it.
struct TopScreen {
  let history: History
  /// The labels that runs must have.
  let labels: [RunLabel]
  let style: Style

  /// Draws until SIGINT, SIGTERM or SIGHUP. Must be called on the first thread, before others exist.
  ///
  /// - Throws: `WorkspaceError`, or ``FailureReport`` if the process is out of descriptors.
  func show() throws {
    // Always outdated, because durations are shown in seconds.
    try WatchScreen(follow: history.followActivity, isOutdated: { true }, lines: lines).show()
  }

  private func lines(_ size: TerminalSize) throws -> [String] {
    let layout = TopLayout(
      activity: try Activity(in: history, labels: labels), workspace: history.workspace.directory, now: .now,
      short: RunReference(history: history).short, style: style, width: size.columns - 1, height: max(3, size.rows - 1))
    return layout.lines()
  }
}
