import Operations

/// The attempts of one operation that former hosts of its run have made.
struct FormerAttempts {
  /// The one with the highest number.
  private(set) var latest: AttemptRecord?
  /// When the first of them began.
  private(set) var began: RecordTime?
  private var delay: (number: Int, microseconds: Int64)?
  /// How many of them ended with their host, which is nothing that a retry counts.
  private var lost = 0

  mutating func add(_ attempt: AttemptRecord) {
    if attempt.number >= latest?.number ?? 0 { latest = attempt }
    if attempt.startedAt < began ?? attempt.startedAt.advanced(by: 1) { began = attempt.startedAt }
    if let chosen = attempt.retryDelay, attempt.number >= delay?.number ?? 0 { delay = (attempt.number, chosen) }
    if attempt.error?.code == "host-died" { lost += 1 }
  }

  /// Where the retry goes on; nil where nothing counts of what was done.
  ///
  /// The deadline goes on too, in which there was no host. Not so of a repeated operation, each of whose repetitions has its
  /// own: which attempt was the first of the latest is not recorded.
  func retryState(attempts: Int, isRepeated: Bool, now: RecordTime) -> RetryState? {
    let elapsed = began.map { isRepeated ? 0 : max(0, now.microseconds - $0.microseconds) } ?? 0
    let previous = delay.map { Duration.microseconds($0.microseconds) }
    if let latest, let due = latest.retryDue, latest.error?.code != "host-died" {
      return RetryState(
        attemptsUsed: latest.number - lost, previousDelay: previous, elapsed: .microseconds(elapsed),
        remainingDelay: .microseconds(max(0, due.microseconds - now.microseconds)))
    }
    guard attempts > lost else { return nil }
    return RetryState(attemptsUsed: attempts - lost, previousDelay: previous, elapsed: .microseconds(elapsed))
  }
}
