import RunHistory

/// Logs what is noticed while a run is resumed.
extension HostLog {
  /// Logs a notice, such as processes that the former host left running; ignores all other events. Any thread.
  func tell(noticeIn event: RunEvent, of run: RunRecord) {
    guard case .notice(_, let text) = event else { return }
    tell(
      .warning, "run-notice", "run \(run.id) of '\(run.pipeline)': \(text)", pipeline: run.pipeline, run: run.id)
  }
}
