import RunHistory

/// The records that a run starts from: its own if it is resumed, and those of the run whose results it reuses.
///
/// A class, because the records are large and each task that receives them would otherwise keep a copy.
final class FormerRuns: Sendable {
  let resumed: RecordedRun?
  let source: RecordedRun?
  /// What is reused of `source`, if that depends on what has changed since.
  let plan: RetryPlan?
  /// The large results of both.
  let results: ParsedResults

  /// Returns nil if there is neither. Parses large results, so it must be called off the event loop.
  init?(resumed: RecordedRun? = nil, source: RecordedRun? = nil, plan: RetryPlan? = nil) {
    if resumed == nil, source == nil { return nil }
    self.resumed = resumed
    self.source = source
    self.plan = plan
    results = ParsedResults(of: (resumed?.operations ?? []) + (source?.operations ?? []))
  }
}
