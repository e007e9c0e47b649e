import RunHistory
import RunReports
import Values

/// Logs the occasions without a run, each with one line.
extension HostLog {
  /// Logs that an occasion has no run, and why.
  func tell(_ occasion: Occasion, isNotRun reason: Occasion.Reason) {
    var occasion = occasion
    (occasion.outcome, occasion.reason) = (.skipped, reason)
    let instant = occasion.instant.map { " at \($0.text)" } ?? ""
    let why = occasion.because(short: \.text) ?? reason.clause
    tell(
      .info, Self.skipped, "skipped '\(occasion.pipeline)'\(instant): \(why)", pipeline: occasion.pipeline,
      figures: Self.figures(reason))
  }

  /// Logs that a run did not begin in time.
  func tell(_ late: LateRun) { tell(late.run, of: late.pipeline, isNotRun: .tooLate) }

  /// Logs that a queued run does not begin, and why.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - pipeline: The name of its pipeline.
  ///   - reason: The reason.
  ///   - clause: The text to use instead of the clause of the reason.
  func tell(_ run: RunID, of pipeline: String, isNotRun reason: Occasion.Reason, because clause: String? = nil) {
    tell(
      .info, Self.skipped, "skipped run \(run) of '\(pipeline)': \(clause ?? reason.clause)", pipeline: pipeline,
      run: run, figures: Self.figures(reason))
  }

  private static let skipped = "occasion-skipped"

  /// The code, for programs.
  private static func figures(_ reason: Occasion.Reason) -> [(name: String, value: JSONValue)] {
    [("reason", .string(reason.rawValue))]
  }
}
