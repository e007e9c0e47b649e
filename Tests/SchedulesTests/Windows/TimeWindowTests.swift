import Testing

@testable import Schedules

struct TimeWindowTests {
  private func window(
    _ days: String = "all", _ from: String = "00:00", _ to: String = "24:00", _ zone: TimeZoneRules = .utc
  ) throws -> TimeWindow {
    TimeWindow(days: try WeekdaySet(days), hours: try DayHours(from: from, to: to), zone: zone)
  }

  /// Returns the changes after `begin`, formatted as `2026-01-05T08:00:00Z open`.
  private func changes(_ window: TimeWindow, after begin: String, count: Int) throws -> [String] {
    var at = try instant(begin, window.zone)
    var changes: [String] = []
    while changes.count < count, let next = window.nextChange(after: at) {
      changes.append("\(window.zone.format(next)) \(window.isOpen(at: next) ? "open" : "closed")")
      at = next
    }
    return changes
  }

  @Test("office hours open in the morning and close in the evening, but not on Saturday")
  func officeHours() throws {
    let window = try window("mon-fri", "08:00", "18:00")
    #expect(
      try changes(window, after: "2026-01-01 09:00", count: 5) == [
        "2026-01-01T18:00:00Z closed", "2026-01-02T08:00:00Z open", "2026-01-02T18:00:00Z closed",
        "2026-01-05T08:00:00Z open", "2026-01-05T18:00:00Z closed",
      ])
    #expect(window.description == "08:00 to 18:00, mon-fri, in UTC")
  }

  @Test("a window across midnight belongs to the day on which it begins")
  func overMidnight() throws {
    let window = try window("fri", "22:00", "06:00")
    #expect(
      try changes(window, after: "2026-01-01 00:00", count: 3) == [
        "2026-01-02T22:00:00Z open", "2026-01-03T06:00:00Z closed", "2026-01-09T22:00:00Z open",
      ])
    #expect(!window.isOpen(at: try instant("2026-01-02 03:00")))
    #expect(window.isOpen(at: try instant("2026-01-03 05:59:59")))
  }

  @Test("consecutive days form one window, and a window of all days never changes")
  func wholeDays() throws {
    #expect(
      try changes(window("sat,sun"), after: "2026-01-01 00:00", count: 2)
        == ["2026-01-03T00:00:00Z open", "2026-01-05T00:00:00Z closed"])
    #expect(try window().nextChange(after: 0) == nil)
    #expect(try window().isOpen(at: 0))
    #expect(try window("all", "20:00", "24:00").nextChange(after: 0) == 72_000)
  }

  @Test("skipped hours do not occur, and repeated hours occur twice")
  func daylightSaving() throws {
    let berlin = try zone("Europe/Berlin")
    let window = try window("sun", "02:15", "02:45", berlin)
    #expect(
      try changes(window, after: "2026-03-23 00:00", count: 1) == ["2026-04-05T02:15:00+02:00 open"])
    #expect(
      try changes(window, after: "2026-10-25 00:00", count: 4) == [
        "2026-10-25T02:15:00+02:00 open", "2026-10-25T02:45:00+02:00 closed",
        "2026-10-25T02:15:00+01:00 open", "2026-10-25T02:45:00+01:00 closed",
      ])
    let evening = try self.window("all", "02:30", "10:00", berlin)
    #expect(
      try changes(evening, after: "2026-03-29 00:00", count: 2)
        == ["2026-03-29T03:00:00+02:00 open", "2026-03-29T10:00:00+02:00 closed"])
  }

  @Test("changes match a walk through every minute")
  func everyMinute() throws {
    var numbers = SeededNumbers(state: 3)
    for name in ["Europe/Berlin", "Asia/Beirut", "Australia/Lord_Howe"] {
      let zone = try zone(name)
      for begin in ["2026-03-27 12:00", "2026-10-23 12:00"] {
        for _ in 0..<6 {
          let hours = [0, 1, 2, 3, 23, 24].shuffled(using: &numbers)
          let window = try window(
            ["all", "sat,sun", "fri", "sun"].randomElement(using: &numbers) ?? "all",
            "\(hours[0] % 24):\(Bool.random(using: &numbers) ? "00" : "15")", "\(hours[1] % 24):30", zone)
          let start = try instant(begin)
          var expected: [UnixTime] = []
          for at in stride(from: start + 60, through: start + 3 * 86_400, by: 60)
          where window.isOpen(at: at) != window.isOpen(at: at - 60) {
            expected.append(at)
          }
          var found: [UnixTime] = []
          var at = start
          while let next = window.nextChange(after: at), next <= start + 3 * 86_400 {
            found.append(next)
            at = next
          }
          #expect(found == expected, "\(window)")
        }
      }
    }
  }

  @Test(
    "days are parsed and formatted",
    arguments: [
      ("mon-fri", "mon-fri"), ("fri-mon", "mon,fri-sun"), ("sat,sun", "sat,sun"), ("Monday, wednesdays", "mon,wed"),
      ("weekdays", "mon-fri"), ("weekends", "sat,sun"), ("all", "every day"), ("mon-sun", "every day"), ("tue", "tue"),
    ])
  func days(text: String, written: String) throws {
    #expect(try WeekdaySet(text).description == written)
  }

  @Test("errors say what to write")
  func mistakes() throws {
    func message(_ body: () throws -> Void) throws -> String {
      try #require(throws: WindowError.self, performing: body).description
    }
    #expect(
      try message { _ = try WeekdaySet("mon-fry") }
        == "'mon-fry' is not a day of the week; write days like mon-fri or sat,sun")
    #expect(
      try message { _ = try WeekdaySet("") } == "'' is not a day of the week; write days like mon-fri or sat,sun")
    #expect(try message { _ = try WeekdaySet("mo") }.hasPrefix("'mo' is not a day"))
    for text in ["8", "8:0", "08:00:00:00", "8 am", "", "ab:cd", "+8:00"] {
      #expect(
        try message { _ = try DayHours(from: text, to: "18:00") }
          == "'\(text)' is not a time of day; write it as 08:00 or 18:30:15")
    }
    for text in ["25:00", "24:01", "12:60", "12:00:60"] {
      #expect(
        try message { _ = try DayHours(from: "08:00", to: text) }
          == "'\(text)' is not a time of day; use 00:00 to 24:00")
    }
    #expect(
      try message { _ = try DayHours(from: "08:00", to: "8:00") }
        == "a window from 08:00 to 8:00 is never open; for whole days write 00:00 to 24:00")
    #expect(
      try message { _ = try DayHours(from: "24:00", to: "08:00") } == "a window cannot begin at '24:00'; write 00:00")
  }
}
