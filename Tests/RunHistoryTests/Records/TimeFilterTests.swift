import RunHistory
import Schedules
import Testing

@Suite("Times in filters")
struct TimeFilterTests {
  /// 2026-03-29 12:00 UTC, the day on which Berlin's clocks go from 02:00 to 03:00.
  private let now = RecordTime(secondsSince1970: 1_774_785_600)

  private func parse(_ text: String) throws -> String? {
    let zone = try TimeZoneDatabase.system.zone("Europe/Berlin")
    return TimeFilter.parse(text, now: now, zone: zone)?.text
  }

  @Test(
    "are read as people mean them",
    arguments: [
      ("now", "2026-03-29T12:00:00.000Z"),
      ("2h", "2026-03-29T10:00:00.000Z"),
      ("30m", "2026-03-29T11:30:00.000Z"),
      ("2d", "2026-03-27T12:00:00.000Z"),
      ("today", "2026-03-28T23:00:00.000Z"),
      ("yesterday", "2026-03-27T23:00:00.000Z"),
      ("2026-03-30", "2026-03-29T22:00:00.000Z"),
      ("2026-11-20", "2026-11-19T23:00:00.000Z"),
      ("2026-11-20 18:30", "2026-11-20T17:30:00.000Z"),
      ("2026-11-20T18:30:05", "2026-11-20T17:30:05.000Z"),
      ("2026-11-20T18:30:05Z", "2026-11-20T18:30:05.000Z"),
      ("2026-11-20T18:30:05.25+02:00", "2026-11-20T16:30:05.250Z"),
    ])
  func read(text: String, expected: String) throws {
    #expect(try parse(text) == expected)
  }

  @Test(
    "are rejected if they mean nothing", arguments: ["", "soon", "2026-13-01", "2026-02-30", "20", "2026-11-20 25:00"])
  func refused(text: String) throws {
    #expect(try parse(text) == nil)
  }
}
