/// The days on which something recurs: an RRULE with FREQ=YEARLY.
struct YearlyRule: Sendable, Hashable {
  /// A weekday, and its position in the month or year: 2 is the second, -1 the last, nil all of them.
  struct Day: Sendable, Hashable {
    var weekday: Weekday
    var ordinal: Int?
  }

  /// The end of the recurrence. The parser converts a COUNT to the date of the last occurrence.
  enum End: Sendable, Hashable {
    case never
    case until(ICalendarTime)
  }

  var interval = 1
  var end = End.never
  var months: [Int] = []
  /// Days of the month, from 1, or from -1 counted from the end.
  var monthDays: [Int] = []
  var days: [Day] = []

  /// Returns the days of `year` on which something that first took place on `start` recurs; ascending, without duplicates.
  func dates(in year: Int, start: CivilDate) -> [CivilDate] {
    guard (year - start.year) % interval == 0 else { return [] }
    if days.isEmpty {
      let months = self.months.isEmpty ? (monthDays.isEmpty ? [start.month] : Array(1...12)) : self.months
      let monthDays = self.monthDays.isEmpty ? [start.day] : self.monthDays
      var dates: Set<CivilDate> = []
      for month in months {
        let length = CivilDate.length(ofMonth: month, year: year)
        for day in monthDays {
          if let date = CivilDate(year: year, month: month, day: day > 0 ? day : length + 1 + day) {
            dates.insert(date)
          }
        }
      }
      return dates.sorted()
    }
    return byWeekday(year)
  }

  /// Returns the date of occurrence number `count`, where the one on `start` is the first; nil if there are fewer before the year 10000.
  func date(number count: Int, start: CivilDate) -> CivilDate? {
    if count == 1 { return start }
    var found = 1
    for year in stride(from: start.year, through: 9999, by: interval) {
      for date in dates(in: year, start: start) where date > start {
        found += 1
        if found == count { return date }
      }
    }
    return nil
  }

  private func byWeekday(_ year: Int) -> [CivilDate] {
    // Ordinals count within the month if months are named, otherwise within the year.
    let spans =
      months.isEmpty
      ? [span(year, months: 1...12)] : Set(months).sorted().map { span(year, months: $0...$0) }
    var dates: [CivilDate] = []
    for span in spans {
      for number in span {
        let date = CivilDate(dayNumber: number)
        if !monthDays.isEmpty {
          let length = CivilDate.length(ofMonth: date.month, year: year)
          guard monthDays.contains(date.day) || monthDays.contains(date.day - length - 1) else { continue }
        }
        let isNamed = days.contains { day in
          guard day.weekday == date.weekday else { return false }
          guard let ordinal = day.ordinal else { return true }
          let fromStart = Int(number - span.lowerBound) / 7 + 1
          let fromEnd = -Int(span.upperBound - 1 - number) / 7 - 1
          return ordinal == fromStart || ordinal == fromEnd
        }
        if isNamed { dates.append(date) }
      }
    }
    return dates
  }

  private func span(_ year: Int, months: ClosedRange<Int>) -> Range<Int64> {
    let first = CivilDate(year: year, month: months.lowerBound, day: 1)?.dayNumber ?? 0
    let last = CivilDate(
      year: year, month: months.upperBound, day: CivilDate.length(ofMonth: months.upperBound, year: year))?.dayNumber
    return first..<max(first, (last ?? first) + 1)
  }
}
