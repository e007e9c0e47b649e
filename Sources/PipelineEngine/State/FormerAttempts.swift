import Operations
import RunHistory

/// The attempts of one operation that former hosts of its run made.
struct FormerAttempts {
  /// The attempt with the highest number.
  private(set) var latest: AttemptRecord?
  /// When the first of them began.
  private(set) var began: RecordTime?
  /// How many of them succeeded; each was one round of a repetition.
  private(set) var rounds = 0
  /// The result of the latest successful one.
  private(set) var latestResult = RecordedResult.none
  private var delay: (number: Int, microseconds: Int64)?
  /// How many of them do not count towards a retry limit: those of completed rounds of a repetition, and those that ended with their host.
  private var uncounted = 0

  /// Adds the next attempt, in the order of their numbers.
  mutating func add(_ attempt: AttemptRecord) {
    if attempt.number >= latest?.number ?? 0 { latest = attempt }
    if attempt.startedAt < began ?? attempt.startedAt.advanced(by: 1) { began = attempt.startedAt }
    if let chosen = attempt.retryDelay, attempt.number >= delay?.number ?? 0 { delay = (attempt.number, chosen) }
    if attempt.error?.isEndOfHost == true { uncounted += 1 }
    if attempt.state == .succeeded {
      (uncounted, delay) = (attempt.number, nil)
      rounds += 1
      latestResult = attempt.result
    }
  }

  /// Returns the state in which the retry continues, or nil if no earlier attempt counts.
  ///
  /// The time without a host counts against the deadline, except for a repeated operation: each of its repetitions has its own deadline, and which
  /// attempt was the first of the latest repetition is not recorded.
  func retryState(attempts: Int, isRepeated: Bool, wait: RecordedWait?, now: RecordedWait.Moment) -> RetryState? {
    let wall = began.map { now.time.microseconds - $0.microseconds } ?? 0
    let elapsed = isRepeated ? .zero : RecordedWait.passed(wait, wall: .microseconds(wall), at: now)
    let previous = delay.map { Duration.microseconds($0.microseconds) }
    if let latest, let due = latest.retryDue, latest.error?.isEndOfHost != true {
      return RetryState(
        attemptsUsed: latest.number - uncounted, previousDelay: previous, elapsed: elapsed,
        remainingDelay: remaining(until: due, whole: latest.retryDelay, wait, now))
    }
    guard attempts > uncounted else { return nil }
    return RetryState(attemptsUsed: attempts - uncounted, previousDelay: previous, elapsed: elapsed)
  }

  private func remaining(
    until due: RecordTime, whole: Int64?, _ wait: RecordedWait?, _ now: RecordedWait.Moment
  ) -> Duration {
    let wall = Duration.microseconds(due.microseconds - now.time.microseconds)
    let left = whole.map { min(wall, .microseconds($0)) } ?? wall
    guard let wait, wait.kind == .retry else { return max(left, .zero) }
    return wait.left(of: left, at: now)
  }
}
