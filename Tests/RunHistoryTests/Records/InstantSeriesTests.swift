import RunHistory
import Schedules
import Testing

@Suite("A series of instants")
struct InstantSeriesTests {
  private func time(_ text: String, _ zone: TimeZoneRules? = .utc) throws -> RecordTime {
    try #require(TimeFilter.parse(text, zone: zone))
  }

  private func series(
    _ start: String, _ end: String, _ step: Duration, zone: TimeZoneRules? = .utc
  ) throws -> [String]? {
    try InstantSeries.instants(from: time(start, zone), through: time(end, zone), every: step, zone: zone)?.map(\.text)
  }

  @Test("begins at the first instant, and ends at the last one that a step reaches")
  func ends() throws {
    #expect(
      try series("2026-11-01", "2026-11-03", .seconds(86_400))
        == ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z", "2026-11-03T00:00:00.000Z"])
    #expect(
      try series("2026-11-01 06:30", "2026-11-01 08:00", .seconds(3600))
        == ["2026-11-01T06:30:00.000Z", "2026-11-01T07:30:00.000Z"])
    #expect(try series("2026-11-01", "2026-11-01", .seconds(1)) == ["2026-11-01T00:00:00.000Z"])
    #expect(try series("2026-11-02", "2026-11-01", .seconds(1)) == [])
  }

  @Test("follows the zone's calendar in steps of whole days, and elapsed time in all others")
  func zones() throws {
    let berlin = try TimeZoneDatabase.system.zone("Europe/Berlin")
    // The clocks are put forward at 02:00 on 2026-03-29.
    #expect(
      try series("2026-03-28", "2026-03-30", .seconds(86_400), zone: berlin)
        == ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"])
    #expect(
      try series("2026-03-28 02:30", "2026-03-30 02:30", .seconds(86_400), zone: berlin)
        == ["2026-03-28T01:30:00.000Z", "2026-03-29T01:30:00.000Z", "2026-03-30T00:30:00.000Z"])
    #expect(
      try series("2026-03-29 01:00", "2026-03-29 04:00", .seconds(3600), zone: berlin)
        == ["2026-03-29T00:00:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T02:00:00.000Z"])
    let days = try InstantSeries.instants(
      from: time("2026-03-28", berlin), through: time("2026-03-30", berlin), every: .seconds(86_400), zone: nil)
    #expect(days?.map(\.text) == ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z"])
  }

  @Test("has at most 10,000 instants, and stops at the last representable time")
  func limits() throws {
    #expect(try series("2026-11-01", "2026-11-02", .seconds(1)) == nil)
    #expect(try series("2026-11-01T00:00:00Z", "2026-11-01T02:46:39Z", .seconds(1))?.count == 10_000)
    #expect(try series("2026-11-01T00:00:00Z", "2026-11-01T02:46:40Z", .seconds(1)) == nil)
    #expect(try series("9999-12-31", "9999-12-31 23:59:59", .seconds(86_400))?.count == 1)
    #expect(try series("2026-11-01", "2026-11-01", .zero)?.count == 1)
  }
}
