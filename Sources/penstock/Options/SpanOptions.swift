import ArgumentParser
import RunHistory

/// A stretch of time that rows are shown of.
struct SpanOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only what was recorded since then: 2h, today, yesterday, 2026-11-20, or a timestamp.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only what was recorded before then.", valueName: "time"))
  var until: String?

  /// - Throws: ``CommandFailure`` where they cannot be read, or there is nothing between them.
  func span() throws -> (since: RecordTime?, until: RecordTime?) {
    try FilterOptions.span(since: since, until: until)
  }
}
