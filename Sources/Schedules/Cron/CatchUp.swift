/// What to do about instants that were missed, because nobody was there or the computer slept.
public enum CatchUp: Sendable, Hashable {
  /// They are left out.
  case none
  /// The latest of them counts; the others are left out.
  case last
  /// Each of them counts, but not more than the latest `limit`.
  case all(limit: Int)

  /// How late an instant may be noticed and still not count as missed, in seconds.
  public static let punctuality: Int64 = 60

  /// The instants that are due, and whether older ones are left out.
  public struct Due: Sendable, Hashable {
    /// When it should have happened, ascending.
    public var instants: [UnixTime] = []
    /// Whether there were others, which are missed for good.
    public var hasMissed = false
  }

  /// Which instants of `schedule` are due now.
  ///
  /// The answer depends on nothing but the arguments: whoever asks again, on this computer or another one, gets the same instants. They are what
  /// tells one scheduled run from another.
  ///
  /// - Parameters:
  ///   - schedule: When it is due.
  ///   - zone: Where that is the local time.
  ///   - last: What is before it, or it itself, has been dealt with.
  ///   - now: Nothing after it is due. Where it lies before `last`, nothing is due at all.
  /// - Returns: What is due, after `last` and not after `now`.
  public func due(
    _ schedule: CronExpression, in zone: TimeZoneRules, after last: UnixTime, upTo now: UnixTime
  ) -> Due {
    var due = Due()
    guard now > last, now < .latest else { return due }
    // Backwards, so that a long absence costs no more than what counts in the end.
    var at = now + 1
    while let instant = schedule.previous(before: at, in: zone), instant > last {
      guard counts(instant, others: due.instants.count, now: now) else {
        due.hasMissed = true
        break
      }
      due.instants.append(instant)
      at = instant
    }
    due.instants.reverse()
    return due
  }

  private func counts(_ instant: UnixTime, others: Int, now: UnixTime) -> Bool {
    switch self {
    case .none: others == 0 && now - instant <= Self.punctuality
    case .last: others == 0
    case .all(let limit): others < max(1, limit)
    }
  }
}
