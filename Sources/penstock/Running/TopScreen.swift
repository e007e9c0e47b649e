import PipelineService
import RunHistory

/// Shows what goes on in a workspace on a terminal, until a signal ends it.
struct TopScreen {
  let history: History
  /// The labels that runs must have.
  let labels: [RunLabel]
  let style: Style

  /// Draws until SIGINT, SIGTERM or SIGHUP. For the first thread, before there are others.
  ///
  /// - Throws: `WorkspaceError`, or ``FailureReport`` when the process is out of descriptors.
  func show() throws {
    // Durations are shown by the second.
    try WatchScreen(follow: history.followActivity, isOutdated: { true }, lines: lines).show()
  }

  private func lines(_ size: TerminalSize) throws -> [String] {
    let layout = TopLayout(
      activity: try Activity(in: history, labels: labels), workspace: history.workspace.directory, now: .now,
      short: RunReference(history: history).short, style: style, width: size.columns - 1, height: max(3, size.rows - 1))
    return layout.lines()
  }
}
