import Operations
import RunHistory

/// What former hosts of a run have come to with an operation, handler or item that has not ended: kept apart from the instance, as only a run that was resumed has
/// any of it.
struct FormerProgress {
  /// What a waiting retry had left.
  var retryState: RetryState?
  /// How many rounds of its repetition were made.
  var rounds = 0
  /// The wait that it was in.
  var wait: RecordedWait?
  /// When it began to wait for a specification.
  var waitBegan: RecordTime?
  /// When the approval was asked for that is still waited for.
  var asked: RecordTime?
  /// When the latest attempt that ended by itself did, in this host or a former one.
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
