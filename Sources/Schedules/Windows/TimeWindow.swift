/// Hours on certain days of the week in the local time of a zone, such as `mon-fri` from 08:00 to 18:00.
///
/// If a window ends before it begins, it extends past midnight, and its days are those on which it begins: `fri` from 22:00 to 06:00 ends on
/// Saturday. Local time decides: a window within skipped hours does not occur on that day, and a window within repeated hours occurs twice.
public struct TimeWindow: Sendable {
  /// The days on which the window begins.
  public let days: WeekdaySet
  /// The hours from opening to closing.
  public let hours: DayHours
  /// The time zone.
  public let zone: TimeZoneRules

  /// Creates a window; by default, every day and all day.
  public init(days: WeekdaySet = .all, hours: DayHours = .whole, zone: TimeZoneRules) {
    self.days = days
    self.hours = hours
    self.zone = zone
  }

  /// Returns whether the window is open at `instant`.
  public func isOpen(at instant: UnixTime) -> Bool {
    isOpen(at: zone.civilTime(at: instant))
  }

  /// Returns the first instant after `instant` at which the window opens or closes; nil if it never does.
  public func nextChange(after instant: UnixTime) -> UnixTime? {
    guard instant < .latest else { return nil }
    let isOpen = isOpen(at: instant)
    var at = instant
    // A skipped day or hour can cost one weekly occurrence; after two more weeks without a change, there is none to come.
    let end = instant + 30 * 86_400
    while at < end {
      at = nextEdge(after: at)
      if self.isOpen(at: at) != isOpen { return at }
    }
    return nil
  }

  /// Returns the next instant at which the window could open or close.
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
  /// For example, `08:00 to 18:00, mon-fri, in Europe/Berlin`.
  public var description: String {
    [hours.description, days.description, "in \(zone.name)"].joined(separator: ", ")
  }
}
