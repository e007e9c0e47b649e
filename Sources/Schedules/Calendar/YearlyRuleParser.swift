/// Reads the value of an RRULE. Anything unsupported is an error, because silently missing days would be worse.
struct YearlyRuleParser {
  private static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

  private let line: ICalendarLine

  /// The maximum value of COUNT.
  private static let maximumCount = 1000

  /// Returns the rule in `line`, for something that first takes place on `start`.
  static func parse(_ line: ICalendarLine, start: CivilDate) throws(ICalendarError) -> YearlyRule {
    try YearlyRuleParser(line: line).rule(start)
  }

  private func rule(_ start: CivilDate) throws(ICalendarError) -> YearlyRule {
    var rule = YearlyRule()
    var count: Int?
    var seen: Set<String> = []
    for part in line.value.uppercased().split(separator: ";") {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { throw line.error("'\(part)' is not a part of an RRULE") }
      let (name, value) = (String(halves[0]), halves[1])
      guard seen.insert(name).inserted else { throw line.error("\(name) is given twice") }
      switch name {
      case "FREQ":
        guard value == "YEARLY" else { throw line.error("only FREQ=YEARLY is supported, not '\(part)'") }
      case "INTERVAL": rule.interval = try number(value, of: name, 1...10_000)
      case "COUNT":
        count = try number(value, of: name, 1...Self.maximumCount)
      case "UNTIL":
        guard let time = ICalendarTime.parse(value, zone: nil) else { throw line.error("'\(part)' has no date") }
        rule.end = .until(time)
      case "BYMONTH": rule.months = try numbers(value, of: name, 1...12)
      case "BYMONTHDAY": rule.monthDays = try numbers(value, of: name, -31...31)
      case "BYDAY": rule.days = try days(value)
      // The first day of the week affects none of the supported rules.
      case "WKST": break
      default:
        throw line.error(
          "'\(part)' is not supported; FREQ=YEARLY can be combined with INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY and BYDAY"
        )
      }
    }
    guard seen.contains("FREQ") else { throw line.error("the RRULE has no FREQ") }
    if let count {
      guard rule.end == .never else { throw line.error("COUNT and UNTIL cannot be combined") }
      if let last = rule.date(number: count, start: start) { rule.end = .until(.date(last)) }
    }
    return rule
  }

  private func numbers(
    _ text: Substring, of name: String, _ range: ClosedRange<Int>
  ) throws(ICalendarError) -> [Int] {
    var numbers: [Int] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      numbers.append(try number(item, of: name, range))
    }
    guard numbers.count <= 32, !numbers.contains(0) else { throw line.error("'\(name)=\(text)' is out of range") }
    return numbers
  }

  private func number(
    _ text: Substring, of name: String, _ range: ClosedRange<Int>
  ) throws(ICalendarError) -> Int {
    guard text.utf8.count <= 8, let number = Int(text), range.contains(number) else {
      throw line.error("'\(name)=\(text)' is out of range; it must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func days(_ text: Substring) throws(ICalendarError) -> [YearlyRule.Day] {
    var days: [YearlyRule.Day] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard days.count < 32, let index = Self.weekdays.firstIndex(of: String(item.suffix(2))) else {
        throw line.error("'BYDAY=\(text)' is not supported; write days like MO, 2MO or -1SU")
      }
      let prefix = item.dropLast(2)
      var ordinal: Int?
      if !prefix.isEmpty {
        let number = try number(prefix, of: "BYDAY", -53...53)
        guard number != 0 else { throw line.error("'BYDAY=\(text)' has a day with the number 0") }
        ordinal = number
      }
      days.append(YearlyRule.Day(weekday: Weekday.allCases[index], ordinal: ordinal))
    }
    return days
  }
}
