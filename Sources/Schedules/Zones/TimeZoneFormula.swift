/// Rules that apply every year, in the notation of the POSIX variable `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneFormula: Sendable, Hashable {
  typealias LocalTime = TimeZoneRules.LocalTime
  typealias Period = TimeZoneRules.Period

  /// A yearly clock change, in the local time before the change.
  struct Change: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// Day 1 to 365; February 29 is never counted.
      case julian(Int)
      /// Day 0 to 365; February 29 is counted.
      case zeroBased(Int)
      /// The n-th such weekday of a month; 5 is the last.
      case weekday(Int, ordinal: Int, month: Int)
    }
    var day: Day
    /// The time in seconds after midnight, from -167 to 167 hours.
    var time: Int = 7200

    /// Returns the local time of the change in `year`, as `CivilTime.localSeconds`.
    func localSeconds(year: Int) -> Int64 {
      dayNumber(year: year) * 86_400 + Int64(time)
    }

    private func dayNumber(year: Int) -> Int64 {
      let newYear = firstDay(ofMonth: 1, year: year)
      switch day {
      case .julian(let day): return newYear + Int64(day - 1) + (day >= 60 && CivilDate.isLeap(year) ? 1 : 0)
      case .zeroBased(let day): return newYear + Int64(day)
      case .weekday(let weekday, let ordinal, let month):
        let first = firstDay(ofMonth: month, year: year)
        let ahead = (weekday - Weekday(dayNumber: first).rawValue + 7) % 7
        let day = ahead + 7 * (ordinal - 1)
        return first + Int64(day < CivilDate.length(ofMonth: month, year: year) ? day : day - 7)
      }
    }

    private func firstDay(ofMonth month: Int, year: Int) -> Int64 {
      CivilDate(year: year, month: month, day: 1)?.dayNumber ?? 0
    }
  }

  /// Daylight saving time, with its start and end.
  struct Daylight: Sendable, Hashable {
    var localTime: LocalTime
    var start: Change
    var end: Change
  }

  var standard: LocalTime
  var daylight: Daylight?

  /// Returns the period that contains `instant`.
  func period(at instant: UnixTime) -> Period {
    guard let daylight else { return Period(start: .min, end: .max, localTime: standard) }
    let bounded = Swift.min(Swift.max(instant, .earliest), .latest)
    let year = CivilDate(dayNumber: bounded.floorQuotient(86_400)).year
    // A change may fall up to a week outside its year.
    var changes: [(at: UnixTime, isStart: Bool)] = []
    changes.reserveCapacity(6)
    for year in year - 1...year + 1 {
      changes.append((daylight.start.localSeconds(year: year) - Int64(standard.offset), true))
      changes.append((daylight.end.localSeconds(year: year) - Int64(daylight.localTime.offset), false))
    }
    // If the end in one year is the start in the next, daylight saving time lasts all year: the start takes precedence.
    changes.sort { $0.at != $1.at ? $0.at < $1.at : !$0.isStart && $1.isStart }
    let next = changes.partitionPoint { $0.at > bounded }
    let isDaylight = next > 0 ? changes[next - 1].isStart : !changes[0].isStart
    // Beyond the searched years, the last period in each direction is unbounded.
    return Period(
      start: next > 0 && instant >= .earliest ? changes[next - 1].at : .min,
      end: next < changes.count && instant < .latest ? changes[next].at : .max,
      localTime: isDaylight ? daylight.localTime : standard)
  }
}
