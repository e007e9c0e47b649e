/// A cron line: the local times at which something is due.
///
/// It has five fields, or six with a leading field for seconds, as in OCPS 1.0 with the seconds of 1.2 and the `L` and `#` of 1.3:
/// `minute hour day-of-month month day-of-week`. If both day fields are restricted, a day matches if either names it.
/// `Documentation/schedules.md` lists all rules.
public struct CronExpression: Sendable, Hashable {
  /// The line as given.
  public let text: String

  /// A bit for each matching second; likewise for minutes and hours below.
  let seconds: UInt64
  let minutes: UInt64
  let hours: UInt64
  /// A bit for each matching month, from bit 1.
  let months: UInt64
  /// A bit for each matching day of the month, from bit 1.
  let days: UInt64
  /// Whether the last day of the month matches.
  let hasLastDay: Bool
  /// A bit for each matching day of the week, with Sunday at bit 0.
  let weekdays: UInt64
  /// For each day of the week, a bit for each matching ordinal in the month, from bit 1; bit 6 is the last.
  let ordinals: [UInt8]
  /// Whether both day fields are restricted, so that either is sufficient.
  let isEither: Bool

  /// Parses a line, or a nickname such as `@daily`.
  public init(_ text: String) throws(CronError) {
    self = try CronParser(text).parse()
  }

  init(text: String, fields: CronParser.Fields) {
    self.text = text
    seconds = fields[.second].values
    minutes = fields[.minute].values
    hours = fields[.hour].values
    months = fields[.month].values
    days = fields[.dayOfMonth].values
    hasLastDay = fields[.dayOfMonth].hasLast
    weekdays = fields[.dayOfWeek].values
    ordinals = fields[.dayOfWeek].ordinals
    isEither = fields[.dayOfMonth].isRestricted && fields[.dayOfWeek].isRestricted
  }

  /// Returns a bit for each matching day of a month, from bit 1.
  func days(ofMonth month: Int, year: Int) -> UInt64 {
    let length = CivilDate.length(ofMonth: month, year: year)
    let all: UInt64 = (1 << (length + 1)) - 2
    var byDate = days & all
    if hasLastDay { byDate |= 1 << length }
    guard let first = CivilDate(year: year, month: month, day: 1)?.weekday.rawValue else { return 0 }
    var byWeekday: UInt64 = 0
    for weekday in 0..<7 {
      let ordinals = ordinals[weekday]
      let isAny = weekdays & 1 << weekday != 0
      guard isAny || ordinals != 0 else { continue }
      for (index, day) in stride(from: 1 + (weekday - first + 7) % 7, through: length, by: 7).enumerated()
      where isAny || ordinals & 1 << (index + 1) != 0 || ordinals & 1 << 6 != 0 && day + 7 > length {
        byWeekday |= 1 << day
      }
    }
    return isEither ? byDate | byWeekday : byDate & byWeekday
  }
}

extension CronExpression: CustomStringConvertible {
  /// The line as given.
  public var description: String { text }
}
