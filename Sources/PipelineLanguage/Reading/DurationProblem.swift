import Values

/// The problem with a text that is not a valid duration.
struct DurationProblem {
  let code: DiagnosticCode
  let message: String
  let fix: String?

  /// Creates the problem with `text`; `what` names its key, and `shown` is the text for messages.
  init(_ text: String, _ what: String, shown: String) {
    if DurationNotation.isTooLong(text) {
      code = .outOfRange
      message = "\(what) must be at most \(DurationNotation.longest), some 292 years, found '\(shown)'"
      fix = nil
    } else {
      let isBare = !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
      code = .invalidDuration
      message = "\(what) needs a duration with its unit, found '\(shown)'"
      fix = isBare ? "for seconds write '\(text)s'" : "write it like '30s', '1h30m' or '200ms'"
    }
  }
}
