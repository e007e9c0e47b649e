import RunHistory

/// What a run has of others: what was recorded of itself, where it is resumed, and of the run that it takes over from.
///
/// A reference, as the records are large, and each task that is given them would keep a copy.
final class FormerRuns: Sendable {
  let resumed: RecordedRun?
  let source: RecordedRun?
  /// What of `source` is taken over, where that depends on what has changed since.
  let plan: RetryPlan?
  /// The large results of both.
  let results: ParsedResults

  /// Nil where there is neither. Parses large results, so that it belongs beside the loop.
  init?(resumed: RecordedRun? = nil, source: RecordedRun? = nil, plan: RetryPlan? = nil) {
    if resumed == nil, source == nil { return nil }
    self.resumed = resumed
    self.source = source
    self.plan = plan
    results = ParsedResults(of: (resumed?.operations ?? []) + (source?.operations ?? []))
  }
}
