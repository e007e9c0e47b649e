/// Hours of some days of the week, by the clocks of a zone: `mon-fri` from 08:00 to 18:00.
///
/// Where it ends before it begins it lasts over midnight, and its days are those on which it begins: `fri` from 22:00 to 06:00 ends on
/// Saturday. What counts is what the clocks show: a window in hours that are skipped is not there on that day, and hours that
/// come twice count twice.
public struct TimeWindow: Sendable {
  /// The days on which it begins.
  public let days: WeekdaySet
  /// When it begins and ends.
  public let hours: DayHours
  /// Whose clocks it goes by.
  public let zone: TimeZoneRules

  /// A window; every day and all day where nothing else is said.
  public init(days: WeekdaySet = .all, hours: DayHours = .whole, zone: TimeZoneRules) {
    self.days = days
    self.hours = hours
    self.zone = zone
  }

  /// Whether it is open at `instant`.
  public func isOpen(at instant: UnixTime) -> Bool {
    isOpen(at: zone.civilTime(at: instant))
  }

  /// The first instant after `instant` at which it opens or closes; nil if it never does.
  public func nextChange(after instant: UnixTime) -> UnixTime? {
    guard instant < .latest else { return nil }
    let isOpen = isOpen(at: instant)
    var at = instant
    // A week can be left out as a whole where a day or an hour is skipped; after two more there is nothing to come.
    let end = instant + 30 * 86_400
    while at < end {
      at = nextEdge(after: at)
      if self.isOpen(at: at) != isOpen { return at }
    }
    return nil
  }

  /// The next instant at which it could open or close.
  private func nextEdge(after instant: UnixTime) -> UnixTime {
    let period = zone.period(at: instant)
    let offset = Int64(period.localTime.offset)
    let local = instant + offset
    let midnight = local.floorQuotient(86_400) * 86_400
    let edges = [midnight + Int64(hours.from), midnight + Int64(hours.to), midnight + 86_400]
    let next = edges.filter { $0 > local }.min() ?? midnight + 86_400
    return min(next - offset, period.end)
  }

  private func isOpen(at time: CivilTime) -> Bool {
    let second = time.secondOfDay
    let today = time.weekday
    if hours.from < hours.to {
      return days.contains(today) && second >= hours.from && second < hours.to
    }
    let yesterday = Weekday(dayNumber: time.dayNumber - 1)
    return days.contains(today) && second >= hours.from || days.contains(yesterday) && second < hours.to
  }
}

extension TimeWindow: CustomStringConvertible {
  /// As in `08:00 to 18:00, mon-fri, in Europe/Berlin`.
  public var description: String {
    [hours.description, days.description, "in \(zone.name)"].joined(separator: ", ")
  }
}
