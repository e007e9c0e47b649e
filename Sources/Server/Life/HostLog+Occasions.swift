import RunHistory

/// The occasions that no run comes of, each with one line.
extension HostLog {
  /// Tells that an occasion has no run, and why.
  func tell(_ occasion: Occasion, isNotRun reason: Occasion.Reason) {
    let instant = occasion.instant.map { " at \($0.text)" } ?? ""
    // A detail may begin with the word itself: `paused by ada`.
    let detail = occasion.detail.flatMap { $0.hasPrefix(reason.rawValue) ? nil : ": \($0)" } ?? ""
    tell(
      .info, "occasion-skipped", "'\(occasion.pipeline)' is not run\(instant): \(reason.rawValue)\(detail)",
      pipeline: occasion.pipeline)
  }

  /// Tells that a run has not begun in time.
  func tell(_ late: LateRun) { tell(late.run, of: late.pipeline, isNotRun: Occasion.Reason.tooLate.rawValue) }

  /// Tells that a run which was queued does not begin, and why.
  func tell(_ run: RunID, of pipeline: String, isNotRun reason: String) {
    tell(.info, "occasion-skipped", "run \(run) of '\(pipeline)' is not run: \(reason)", pipeline: pipeline, run: run)
  }
}
