/// What to do about instants that were missed because no host was running or the computer was asleep.
public enum CatchUp: Sendable, Hashable {
  /// Drops all missed instants.
  case none
  /// Keeps the latest missed instant and drops the others.
  case last
  /// Keeps every missed instant, up to the latest `limit`.
  case all(limit: Int)

  /// How late an instant may be noticed without counting as missed, in seconds.
  public static let punctuality: Int64 = 60

  /// The instants that are due, and whether older ones were dropped.
  public struct Due: Sendable, Hashable {
    /// The scheduled instants, ascending.
    public var instants: [UnixTime] = []
    /// Whether older instants were dropped.
    public var hasMissed = false
  }

  /// Returns the instants of `schedule` that are due now.
  ///
  /// The result depends only on the arguments: every call, on this computer or another, returns the same instants. They identify scheduled runs.
  ///
  /// - Parameters:
  ///   - schedule: The schedule.
  ///   - zone: The time zone of the schedule.
  ///   - last: The instant up to which, inclusive, everything has been handled.
  ///   - now: The last instant that can be due. If it lies before `last`, nothing is due.
  /// - Returns: The due instants after `last`, up to and including `now`.
  public func due(
    _ schedule: CronExpression, in zone: TimeZoneRules, after last: UnixTime, upTo now: UnixTime
  ) -> Due {
    var due = Due()
    guard now > last, now < .latest else { return due }
    // Searches backwards, so that the cost of a long absence is limited by the instants that are kept.
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
