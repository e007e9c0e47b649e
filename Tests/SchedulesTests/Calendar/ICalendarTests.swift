import Testing

@testable import Schedules

struct ICalendarTests {
  private func calendar(_ events: String, unfolded: Bool = true) throws -> ICalendar {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\n" + events + "\nEND:VCALENDAR\n"
    return try ICalendar(Array(text.replacing("\n", with: "\r\n").utf8), zones: .system)
  }

  private func event(_ lines: String) -> String {
    "BEGIN:VEVENT\nSUMMARY:Holiday\n" + lines + "\nEND:VEVENT"
  }

  /// Returns the days of `years` on which some event takes place.
  private func days(_ events: String, _ years: ClosedRange<Int>, _ zone: TimeZoneRules = .utc) throws -> [String] {
    let calendar = try calendar(events)
    var days: [String] = []
    let first = try #require(CivilDate(year: years.lowerBound, month: 1, day: 1)).dayNumber
    let last = try #require(CivilDate(year: years.upperBound, month: 12, day: 31)).dayNumber
    var at = zone.firstInstant(of: CivilTime(localSeconds: first * 86_400))
    let end = zone.firstInstant(of: CivilTime(localSeconds: (last + 1) * 86_400))
    while at < end {
      let moment = calendar.moment(at: at, in: zone)
      if moment.isTaken { days.append(zone.civilTime(at: at).date.description) }
      // Advances day by day, but skips free time in one step.
      let next = at + 86_400
      at = moment.isTaken ? next : max(at + 1, moment.until ?? at + 300 * 86_400)
    }
    return days
  }

  @Test("a whole-day event lasts from midnight to midnight in the caller's zone")
  func wholeDay() throws {
    let berlin = try zone("Europe/Berlin")
    let calendar = try calendar(event("DTSTART;VALUE=DATE:20260501"))
    let (begin, end) = (try instant("2026-05-01 00:00", berlin), try instant("2026-05-02 00:00", berlin))
    #expect(calendar.moment(at: begin - 1, in: berlin) == .init(summaries: [], isTaken: false, until: begin))
    #expect(calendar.moment(at: begin, in: berlin) == .init(summaries: ["Holiday"], isTaken: true, until: end))
    #expect(calendar.moment(at: end - 1, in: berlin).isTaken)
    #expect(calendar.moment(at: end, in: berlin) == .init(summaries: [], isTaken: false, until: nil))
  }

  @Test(
    "rules name the days in published calendars",
    arguments: [
      // Christmas, Memorial Day, Thanksgiving and the day after Labor Day's Monday.
      ("DTSTART;VALUE=DATE:20201225\nRRULE:FREQ=YEARLY", 2025...2026, ["2025-12-25", "2026-12-25"]),
      (
        "DTSTART:20200525\nRRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO", 2025...2027,
        ["2025-05-26", "2026-05-25", "2027-05-31"]
      ),
      ("DTSTART:20201126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", 2025...2026, ["2025-11-27", "2026-11-26"]),
      ("DTSTART:20240229\nRRULE:FREQ=YEARLY", 2024...2033, ["2024-02-29", "2028-02-29", "2032-02-29"]),
      ("DTSTART:20240101\nRRULE:FREQ=YEARLY;INTERVAL=3", 2024...2031, ["2024-01-01", "2027-01-01", "2030-01-01"]),
      ("DTSTART:20240101\nRRULE:FREQ=YEARLY;COUNT=2", 2023...2030, ["2024-01-01", "2025-01-01"]),
      ("DTSTART:20240101\nRRULE:FREQ=YEARLY;UNTIL=20250101", 2023...2030, ["2024-01-01", "2025-01-01"]),
      ("DTSTART:20240101\nRRULE:FREQ=YEARLY;UNTIL=20241231T235959Z", 2023...2030, ["2024-01-01"]),
      ("DTSTART:20240131\nRRULE:FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=2,1", 2025...2025, ["2025-01-31", "2025-02-28"]),
      ("DTSTART:20240513\nRRULE:FREQ=YEARLY;BYDAY=20MO", 2024...2025, ["2024-05-13", "2025-05-19"]),
      ("DTSTART:20240101\nRRULE:FREQ=YEARLY;BYDAY=-1FR", 2024...2025, ["2024-01-01", "2024-12-27", "2025-12-26"]),
      (
        "DTSTART:20240913\nRRULE:FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13", 2024...2026,
        ["2024-09-13", "2024-12-13", "2025-06-13", "2026-02-13", "2026-03-13", "2026-11-13"]
      ),
      (
        "DTSTART:20240101\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20250101\nRDATE;VALUE=DATE:20250106,20260106",
        2024...2026,
        ["2024-01-01", "2025-01-06", "2026-01-01", "2026-01-06"]
      ),
      ("DTSTART:20240101\nDTEND:20240104", 2024...2024, ["2024-01-01", "2024-01-02", "2024-01-03"]),
      ("DTSTART:20240101\nDURATION:P1W", 2024...2024, (1...7).map { "2024-01-0\($0)" }),
      ("DTSTART:20240101\nDTEND:20240101", 2024...2024, ["2024-01-01"]),
      ("DTSTART:20241230\nDTEND:20250102\nRRULE:FREQ=YEARLY", 2026...2026, ["2026-01-01", "2026-12-30", "2026-12-31"]),
      ("DTSTART:20240101\nSTATUS:CANCELLED", 2024...2024, []),
    ] as [(String, ClosedRange<Int>, [String])])
  func rules(lines: String, years: ClosedRange<Int>, expected: [String]) throws {
    #expect(try days(event(lines), years) == expected)
  }

  @Test("random rules match a walk through every day")
  func everyDay() throws {
    var numbers = SeededNumbers(state: 5545)
    let start = try #require(CivilDate(year: 2020, month: 1, day: 1))
    for _ in 0..<60 {
      var rule = YearlyRule()
      rule.interval = Int.random(in: 1...3, using: &numbers)
      if Bool.random(using: &numbers) {
        rule.months = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in Int.random(in: 1...12, using: &numbers) }
      }
      if Bool.random(using: &numbers) { rule.monthDays = [Int.random(in: 1...31, using: &numbers), -1] }
      let hasDays = Bool.random(using: &numbers)
      if hasDays {
        rule.days = [
          .init(weekday: .monday, ordinal: nil),
          .init(weekday: .friday, ordinal: [-2, -1, 1, 3].randomElement(using: &numbers)),
        ]
      }
      for year in 2020...2024 {
        var expected: [CivilDate] = []
        let first = try #require(CivilDate(year: year, month: 1, day: 1)).dayNumber
        for number in first..<first + (CivilDate.isLeap(year) ? 366 : 365) where (year - 2020) % rule.interval == 0 {
          let date = CivilDate(dayNumber: number)
          let length = CivilDate.length(ofMonth: date.month, year: year)
          var isMeant = true
          if !rule.months.isEmpty { isMeant = rule.months.contains(date.month) }
          if !rule.monthDays.isEmpty {
            isMeant = isMeant && (rule.monthDays.contains(date.day) || date.day == length)
          } else if !hasDays {
            isMeant = isMeant && date.day == 1 && (!rule.months.isEmpty || date.month == 1)
          }
          if hasDays {
            // The n-th Friday: counts the Fridays of the month or year from this one in one direction.
            let span = { (step: Int64) in
              var count = 0
              var at = number
              while true {
                let other = CivilDate(dayNumber: at)
                guard other.year == year, rule.months.isEmpty || other.month == date.month else { return count }
                count += 1
                at += step
              }
            }
            let ordinal = rule.days[1].ordinal ?? 0
            isMeant =
              isMeant
              && (date.weekday == .monday
                || date.weekday == .friday && (ordinal > 0 ? span(-7) == ordinal : span(7) == -ordinal))
          }
          if isMeant { expected.append(date) }
        }
        #expect(rule.dates(in: year, start: start) == expected, "\(rule)")
      }
    }
  }

  @Test("times are in their own zone, in UTC, or in the caller's zone")
  func zones() throws {
    let tokyo = try zone("Asia/Tokyo")
    func begin(_ line: String) throws -> String {
      let calendar = try calendar(event(line))
      return tokyo.format(
        try #require(calendar.moment(at: 0, in: tokyo).until ?? calendar.moment(at: 1_767_000_000, in: tokyo).until))
    }
    #expect(try begin("DTSTART:20260110T120000\nDURATION:PT1H30M") == "2026-01-10T12:00:00+09:00")
    #expect(try begin("DTSTART:20260110T120000Z\nDTEND:20260110T130000Z") == "2026-01-10T21:00:00+09:00")
    #expect(
      try begin("DTSTART;TZID=Europe/Berlin:20260110T120000\nDTEND;TZID=\"Europe/Berlin\":20260110T130000")
        == "2026-01-10T20:00:00+09:00")
  }

  @Test("an UNTIL in UTC is compared as an instant")
  func untilInstant() throws {
    let berlin = try zone("Europe/Berlin")
    let lines = "DTSTART;TZID=Europe/Berlin:20240110T003000\nDURATION:PT1H\nRRULE:FREQ=YEARLY;UNTIL="
    // 00:30 in Berlin is 23:30 of the previous day in UTC.
    #expect(
      try calendar(event(lines + "20260109T233000Z")).moment(at: try instant("2026-01-10 01:00", berlin), in: berlin)
        .isTaken)
    #expect(
      try !calendar(event(lines + "20260109T232959Z")).moment(at: try instant("2026-01-10 01:00", berlin), in: berlin)
        .isTaken)
  }

  @Test("a skipped time moves to the same distance after the change")
  func skippedTime() throws {
    let berlin = try zone("Europe/Berlin")
    let calendar = try calendar(event("DTSTART:20260329T023000\nDURATION:PT1H"))
    let moment = calendar.moment(at: try instant("2026-03-29 00:00", berlin), in: berlin)
    #expect(moment.until.map(berlin.format) == "2026-03-29T03:30:00+02:00")
  }

  @Test("overlapping events are named together, and each start and end is a change")
  func overlap() throws {
    let calendar = try calendar(
      "BEGIN:VEVENT\nSUMMARY:One\\, two\nDTSTART:20260101\nDTEND:20260103\nEND:VEVENT\n"
        + "BEGIN:VEVENT\nSUMMARY:Three\n  and four\nDTSTART:20260102\nDTEND:20260104\nEND:VEVENT")
    var at = try instant("2025-12-31 00:00")
    var seen: [String] = []
    while let next = calendar.moment(at: at, in: .utc).until {
      at = next
      seen.append("\(TimeZoneRules.utc.civilTime(at: at).date) \(calendar.moment(at: at, in: .utc).summaries)")
    }
    #expect(
      seen == [
        "2026-01-01 [\"One, two\"]", "2026-01-02 [\"One, two\", \"Three and four\"]", "2026-01-03 [\"Three and four\"]",
        "2026-01-04 []",
      ])
  }

  @Test("an occurrence that another event replaces is left out")
  func replaced() throws {
    let lines =
      event("UID:a\nDTSTART:20240101\nRRULE:FREQ=YEARLY") + "\n"
      + event("UID:a\nRECURRENCE-ID;VALUE=DATE:20250101\nDTSTART:20250103") + "\n"
      + event("UID:a\nRECURRENCE-ID;VALUE=DATE:20260101\nDTSTART:20260101\nSTATUS:CANCELLED")
    #expect(try days(lines, 2024...2027) == ["2024-01-01", "2025-01-03", "2027-01-01"])
  }

  @Test("other components, vendor properties and alarms are ignored")
  func otherComponents() throws {
    let lines =
      "BEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nDTSTART:19701025T030000\nRRULE:FREQ=WEEKLY\nEND:STANDARD\nEND:VTIMEZONE\n"
      + "X-WR-CALNAME:Test\n"
      + "BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260101\nX-A;X-B=\"a:b;c\":d\nBEGIN:VALARM\nDTSTART:nonsense\nEND:VALARM\nEND:VEVENT\n"
      + "BEGIN:VTODO\nDTSTART:nonsense\nEND:VTODO"
    #expect(try days(lines, 2026...2026) == ["2026-01-01"])
  }

  @Test("errors name the line")
  func mistakes() throws {
    let inEvent: [(lines: String, line: Int, message: String)] = [
      ("DTSTART:20260101\nRRULE:FREQ=WEEKLY", 6, "only FREQ=YEARLY is supported, not 'FREQ=WEEKLY'"),
      (
        "DTSTART:20260101\nRRULE:FREQ=YEARLY;BYSETPOS=1", 6,
        "'BYSETPOS=1' is not supported; FREQ=YEARLY can be combined with INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY and BYDAY"
      ),
      ("DTSTART:20260101\nRRULE:BYMONTH=1", 6, "the RRULE has no FREQ"),
      ("DTSTART:20260101\nRRULE:FREQ=YEARLY;COUNT=2;UNTIL=20270101", 6, "COUNT and UNTIL cannot be combined"),
      ("DTSTART:20260101\nRRULE:FREQ=YEARLY;BYMONTH=13", 6, "'BYMONTH=13' is out of range; it must be from 1 to 12"),
      ("DTSTART:20260101\nRRULE:FREQ=YEARLY;BYMONTHDAY=0", 6, "'BYMONTHDAY=0' is out of range"),
      (
        "DTSTART:20260101\nRRULE:FREQ=YEARLY;BYDAY=XX", 6,
        "'BYDAY=XX' is not supported; write days like MO, 2MO or -1SU"
      ),
      ("DTSTART:20260101\nRRULE:FREQ=YEARLY;INTERVAL=0", 6, "'INTERVAL=0' is out of range; it must be from 1 to 10000"),
      (
        "DTSTART:20260101\nRRULE:FREQ=YEARLY;COUNT=1000000000", 6,
        "'COUNT=1000000000' is out of range; it must be from 1 to 1000"
      ),
      ("DTSTART:20260101\nRRULE:FREQ=YEARLY\nRRULE:FREQ=YEARLY", 7, "an event can have only one RRULE"),
      ("DTSTART:20260101\nDTEND:20280101\nRRULE:FREQ=YEARLY", 7, "the event repeats before it ends"),
      ("DTSTART:20260230", 5, "'20260230' is not a date or time; write it like 20260101 or 20260101T120000Z"),
      ("DTSTART;VALUE=DATE:20260101T000000", 5, "'20260101T000000' is not a date, which VALUE=DATE requires"),
      ("DTSTART;VALUE=PERIOD:20260101", 5, "VALUE=PERIOD is not supported"),
      (
        "DTSTART;TZID=Mars/Base:20260101T000000", 5,
        "there is no time zone 'Mars/Base'; use a name such as Europe/Berlin, America/New_York or UTC"
      ),
      ("DTSTART:20260102\nDTEND:20260101", 6, "the event ends before it begins"),
      ("DTSTART:20260102\nDTEND:20260103T000000Z", 6, "DTSTART and DTEND must both be dates, or both times"),
      ("DTSTART:20260102\nDURATION:P", 6, "'P' is not a DURATION; write it like P1D or PT2H"),
      ("DTSTART:20260102\nDURATION:PT1H", 6, "the DURATION of an all-day event must be in days"),
      ("X:1", 3, "the event has no DTSTART"),
      ("DTSTART:20260101\nnonsense", 6, "the line is not a 'NAME:value', so the file is not a calendar"),
      ("DTSTART:20260101\nEND:VTODO", 6, "'END:VTODO' has no matching BEGIN"),
    ]
    for (lines, line, message) in inEvent {
      let error = try #require(throws: ICalendarError.self, "\(lines)") { try calendar(event(lines)) }
      #expect(error.line == line && error.message == message, "\(lines) \(error)")
    }
    func message(_ bytes: [UInt8]) throws -> String {
      try #require(throws: ICalendarError.self) { try ICalendar(bytes, zones: .system) }.description
    }
    #expect(try message([]) == "line 1: the file is empty")
    #expect(try message(Array("{}".utf8)) == "line 1: the line is not a 'NAME:value', so the file is not a calendar")
    #expect(
      try message(Array("A:b".utf8)) == "line 1: the file does not begin with BEGIN:VCALENDAR, so it is not a calendar")
    #expect(
      try message(Array("BEGIN:VCALENDAR\n".utf8)) == "line 1: 'BEGIN:VCALENDAR' has no end; the file is truncated")
    #expect(try message(Array("BEGIN:VCALENDAR\nX:".utf8) + [0xFF]) == "line 2: the line is not UTF-8")
    #expect(try message([UInt8](repeating: 0x41, count: 200_000)) == "line 1: the line is longer than 100000 bytes")
    #expect(try message([UInt8](repeating: 0x0A, count: 5 << 20)) == "line 1: the file is longer than 4194304 bytes")
    let nested = String(repeating: "BEGIN:VCALENDAR\n", count: 17)
    #expect(try message(Array(nested.utf8)) == "line 17: components are nested too deeply")
  }

  @Test("corrupted files are parsed or rejected with a line number")
  func hostileFiles() throws {
    let whole = Array(
      ("BEGIN:VCALENDAR\n"
        + event(
          "UID:a\nDTSTART;TZID=Europe/Berlin:20240101T000000\nDTEND;TZID=Europe/Berlin:20240102T000000\nRRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=2MO;COUNT=5\nEXDATE:20250101T000000Z"
        )
        + "\n" + event("DTSTART;VALUE=DATE:20260101\nDURATION:P3D\nRRULE:FREQ=YEARLY;UNTIL=20300101")
        + "\nEND:VCALENDAR\n").utf8)
    var numbers = SeededNumbers(state: 2)
    var read = 0
    for _ in 0..<700 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let at = Int.random(in: 0..<bytes.count, using: &numbers)
        bytes[at] =
          Bool.random(using: &numbers)
          ? UInt8.random(in: 0x2C...0x3B, using: &numbers) : UInt8.random(in: 0...255, using: &numbers)
      }
      if Int.random(in: 0..<4, using: &numbers) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers))
      }
      do throws(ICalendarError) {
        let calendar = try ICalendar(bytes, zones: .system)
        read += 1
        let moment = calendar.moment(at: 1_767_225_600, in: .utc)
        #expect(moment.until ?? .max > 1_767_225_600)
      } catch {
        #expect(error.line >= 1 && error.line <= bytes.count(where: { $0 == 0x0A }) + 1)
      }
    }
    #expect(read > 20)
  }
}
