import ArgumentParser
import RunHistory

/// A period that restricts what is shown.
struct SpanOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only what was recorded since this time: 2h (ago), today, yesterday, 2026-11-20, or a timestamp",
      valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only what was recorded before this time, in the same form", valueName: "time"))
  var until: String?

  /// - Throws: ``CommandFailure`` if they cannot be parsed, or are not in this order.
  func span() throws -> (since: RecordTime?, until: RecordTime?) {
    try FilterOptions.span(since: since, until: until)
  }
}
