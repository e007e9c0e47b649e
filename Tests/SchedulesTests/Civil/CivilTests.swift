import Schedules
import Testing

struct CivilTests {
  @Test("converting between day numbers and dates round-trips over three eras")
  func dayNumbersDatesUndo() throws {
    var expected = try #require(CivilDate(year: 1599, month: 12, day: 31)).dayNumber
    for year in 1600..<2800 {
      for month in 1...12 {
        for day in 1...CivilDate.length(ofMonth: month, year: year) {
          expected += 1
          let date = try #require(CivilDate(year: year, month: month, day: day))
          guard date.dayNumber == expected, CivilDate(dayNumber: expected) == date else {
            Issue.record("\(date) has the number \(date.dayNumber), not \(expected)")
            return
          }
        }
      }
    }
  }

  @Test("known days have the correct number and weekday")
  func knownDaysTheirNumber() throws {
    let epoch = try #require(CivilDate(year: 1970, month: 1, day: 1))
    #expect(epoch.dayNumber == 0 && epoch.weekday == .thursday)
    let first = try #require(CivilDate(year: 1, month: 1, day: 1))
    #expect(first.dayNumber == -719_162 && first.weekday == .monday)
    #expect(try #require(CivilDate(year: 2000, month: 2, day: 29)).weekday == .tuesday)
  }

  @Test(
    "days that do not exist are rejected",
    arguments: [(2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0)])
  func daysNoCalendarNone(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test("times before 1970 count upward like all others")
  func timesBefore1970Count() throws {
    let date = try #require(CivilDate(year: 1969, month: 12, day: 31))
    let time = try #require(CivilTime(date, hour: 23, minute: 59, second: 58))
    #expect(time.description == "1969-12-31T23:59:58")
    #expect(time.date == date && time.weekday == .wednesday)
    #expect(CivilTime(date, hour: 24) == nil)
  }

  @Test(
    "written times are parsed",
    arguments: [
      ("2026-03-29", "2026-03-29T00:00:00"), ("2026-03-29 03:05", "2026-03-29T03:05:00"),
      ("2026-03-29T03:05:07", "2026-03-29T03:05:07"),
    ])
  func written(text: String, time: String) {
    #expect(CivilTime(text)?.description == time)
  }

  @Test(
    "text that is not a time is rejected",
    arguments: [
      "", "2026", "2026-3-29", "2026-02-30", "2026-03-29 24:00", "2026-03-29 3:00", "2026-03-29 03",
      "2026-03-29 03:00:",
      "2026-03-29T03:00Z", "+026-03-29", "2026-03-29 ",
    ])
  func notWritten(text: String) {
    #expect(CivilTime(text) == nil)
  }
}
