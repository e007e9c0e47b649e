import Testing

@testable import Schedules

struct CatchUpTests {
  private func due(
    _ catchUp: CatchUp, _ line: String = "0 * * * *", after last: String, upTo now: String,
    in zone: TimeZoneRules = .utc
  ) throws -> (instants: [String], hasMissed: Bool) {
    let due = catchUp.due(
      try CronExpression(line), in: zone, after: try instant(last, zone), upTo: try instant(now, zone))
    return (due.instants.map { zone.format($0) }, due.hasMissed)
  }

  @Test("missed instants are dropped, run once, or all run")
  func kinds() throws {
    let (last, now) = ("2026-01-01 00:00", "2026-01-01 03:30")
    #expect(try due(.none, after: last, upTo: now) == ([], true))
    #expect(try due(.last, after: last, upTo: now) == (["2026-01-01T03:00:00Z"], true))
    #expect(
      try due(.all(limit: 100), after: last, upTo: now)
        == (["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"], false))
    #expect(
      try due(.all(limit: 2), after: last, upTo: now) == (["2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"], true))
  }

  @Test("an instant noticed within a minute is not missed")
  func punctuality() throws {
    #expect(try due(.none, after: "2026-01-01 00:00", upTo: "2026-01-01 01:01") == (["2026-01-01T01:00:00Z"], false))
    #expect(try due(.none, after: "2026-01-01 00:00", upTo: "2026-01-01 01:01:01") == ([], true))
    #expect(
      try due(.none, "*/10 * * * * *", after: "2026-01-01 00:00", upTo: "2026-01-01 00:00:25")
        == (["2026-01-01T00:00:20Z"], true))
  }

  @Test("instants already handled are not due again, even after the clock is set back")
  func dealtWith() throws {
    #expect(try due(.all(limit: 5), after: "2026-01-01 01:00", upTo: "2026-01-01 01:00") == ([], false))
    #expect(try due(.all(limit: 5), after: "2026-01-01 09:00", upTo: "2026-01-01 01:00") == ([], false))
    #expect(
      try due(.all(limit: 5), after: "2026-01-01 00:59:59", upTo: "2026-01-01 01:00") == (
        ["2026-01-01T01:00:00Z"], false
      ))
  }

  @Test("ten years of missed seconds cost no more than the latest of them")
  func longAbsence() throws {
    let due = try due(.all(limit: 3), "* * * * * *", after: "2016-01-01 00:00", upTo: "2026-01-01 00:00")
    #expect(due == (["2025-12-31T23:59:58Z", "2025-12-31T23:59:59Z", "2026-01-01T00:00:00Z"], true))
  }

  @Test("every instant is due exactly once, however time is divided")
  func cuts() throws {
    let berlin = try zone("Europe/Berlin")
    let schedule = try CronExpression("*/7 1-3 * * *")
    let (begin, end) = (try instant("2026-10-24 00:00"), try instant("2026-10-27 00:00"))
    let whole = CatchUp.all(limit: 1000).due(schedule, in: berlin, after: begin, upTo: end)
    var numbers = SeededNumbers(state: 5)
    var parts: [UnixTime] = []
    var at = begin
    while at < end {
      let next = min(end, at + Int64.random(in: 1...5000, using: &numbers))
      parts += CatchUp.all(limit: 1000).due(schedule, in: berlin, after: at, upTo: next).instants
      at = next
    }
    #expect(parts == whole.instants && parts.count == 72)
  }
}
