/// An event that takes place once or every year.
struct ICalendarEvent: Sendable {
  var summary: String
  var start: ICalendarTime
  /// The duration: in calendar days for dates, in seconds for times.
  var length: Length = .seconds(0)
  var rule: YearlyRule?
  /// Start times in addition to those of the rule.
  var additions: [ICalendarTime] = []
  /// Start times at which the event does not take place.
  var exceptions: Set<ICalendarTime> = []

  enum Length: Sendable, Hashable {
    case days(Int64)
    case seconds(Int64)
  }

  /// Returns the start times in `years`, and those that do not come from the rule.
  ///
  /// - Parameters:
  ///   - years: The years to search.
  ///   - instant: Returns the instant of a time, for rules whose end is given in a different zone from their start.
  /// - Returns: The start times, unordered.
  func starts(in years: ClosedRange<Int>, instant: (ICalendarTime) -> UnixTime) -> [ICalendarTime] {
    var starts = [start] + additions
    if let rule {
      let first = start.civil.date
      for year in years where year >= first.year {
        // The first occurrence takes place even if the rule does not name it.
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
