import Testing

@testable import Schedules

struct TimeZoneFormulaTests {
  private func rules(_ text: String) throws -> TimeZoneRules {
    let formula = try #require(TimeZoneFormulaParser.parse(text.utf8))
    return TimeZoneRules(name: text, localTimes: [formula.standard], formula: formula)
  }

  @Test(
    "formulas yield the local time of the season",
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01 00:00", 7200, "CEST"),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-01-01 00:00", 3600, "CET"),
      ("<+0330>-3:30", "2026-07-01 00:00", 12_600, "+0330"),
      // In the southern hemisphere, summer spans the new year.
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01 00:00", 39_600, "AEDT"),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01 00:00", 36_000, "AEST"),
      // Ireland's daylight saving time is its winter, one hour behind.
      ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01 00:00", 0, "GMT"),
      // Daylight saving time all year, as in RFC 9636.
      ("XXX3EDT4,0/0,J365/23", "2026-01-01 06:00", -14_400, "EDT"),
      ("XXX3EDT4,0/0,J365/23", "2026-07-01 00:00", -14_400, "EDT"),
      // Hours outside the day.
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-28 23:30", -7200, "-02"),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29 01:00", -3600, "-01"),
      ("EST5EDT,J60,300", "2024-03-01 06:59", -18_000, "EST"),
      ("EST5EDT,J60,300", "2024-03-01 07:00", -14_400, "EDT"),
    ])
  func formulasGiveTimeYear(text: String, at: String, offset: Int, abbreviation: String) throws {
    let local = try rules(text).localTime(at: instant(at))
    #expect(local.offset == offset)
    #expect(local.abbreviation == abbreviation)
  }

  @Test(
    "text that is not a formula is rejected",
    arguments: [
      "", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-25",
      "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J366", "CET-1CEST,0,366", "<CET-1", "CET-1 ", "CET-1:60",
      "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3,", "CET--1", "CET-99999999999999999999",
    ])
  func whatNoFormulaNone(text: String) {
    #expect(TimeZoneFormulaParser.parse(text.utf8) == nil)
  }
}
