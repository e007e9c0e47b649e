import Operations
import RunHistory

/// The progress of an unfinished operation, handler or item under former hosts of a run. Kept apart from the instance, because only a resumed run has any.
struct FormerProgress {
  /// What remains of a waiting retry.
  var retryState: RetryState?
  /// How many rounds of its repetition were completed.
  var rounds = 0
  /// The wait that it was in.
  var wait: RecordedWait?
  /// When it began to wait for a specification.
  var waitBegan: RecordTime?
  /// When the pending approval was requested.
  var asked: RecordTime?
  /// When the latest attempt that ended by itself did so, in this host or a former one.
  var latestEnd: RecordTime?
  /// The highest number of an attempt that ended by itself, in this host or a former one.
  var endedAttempts = 0

  /// Notes an attempt that ended by itself.
  mutating func note(_ attempt: AttemptRecord) {
    if attempt.state.isFinal { endedAttempts = max(endedAttempts, attempt.number) }
    guard let end = attempt.endedAt, end > latestEnd ?? end.advanced(by: -1) else { return }
    latestEnd = end
  }
}
