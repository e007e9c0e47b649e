/// Something that takes place once or every year.
struct ICalendarEvent: Sendable {
  var summary: String
  var start: ICalendarTime
  /// How long it takes: by the calendar for days, in seconds for times.
  var length: Length = .seconds(0)
  var rule: YearlyRule?
  /// Other beginnings than those of the rule.
  var additions: [ICalendarTime] = []
  /// Beginnings at which it does not take place.
  var exceptions: Set<ICalendarTime> = []

  enum Length: Sendable, Hashable {
    case days(Int64)
    case seconds(Int64)
  }

  /// The beginnings in `years`, and those that no rule tells.
  ///
  /// - Parameters:
  ///   - years: Where to look.
  ///   - instant: Gives the instant of a time, for ends of rules that are given in another zone than the beginning.
  /// - Returns: The beginnings, in no order.
  func starts(in years: ClosedRange<Int>, instant: (ICalendarTime) -> UnixTime) -> [ICalendarTime] {
    var starts = [start] + additions
    if let rule {
      let first = start.civil.date
      for year in years where year >= first.year {
        // The first one takes place even where its rule does not name it.
        for date in rule.dates(in: year, start: first) where date > first {
          let time = start.moved(to: date)
          if !isAfterEnd(time, rule, instant) { starts.append(time) }
        }
      }
    }
    guard !exceptions.isEmpty else { return starts }
    return starts.filter { !exceptions.contains($0) && !exceptions.contains(.date($0.civil.date)) }
  }

  private func isAfterEnd(
    _ time: ICalendarTime, _ rule: YearlyRule, _ instant: (ICalendarTime) -> UnixTime
  ) -> Bool {
    switch (rule.end, time) {
    case (.never, _): false
    case (.until(.date(let end)), _): time.civil.date > end
    case (.until(let end), .date(let date)): date > end.civil.date
    case (.until(let end), _): instant(time) > instant(end)
    }
  }
}
