import Testing

@testable import Schedules

@Suite("Plan of a schedule") struct CronPlanTests {
  private func plan(
    _ line: String, _ name: String, from: String, to: String, limit: Int = 100
  ) throws -> (lines: [String], hasMore: Bool) {
    let zone = try zone(name)
    let plan = try CronExpression(line).plan(
      after: try instant(from, zone), upTo: try instant(to, zone), in: zone, limit: limit)
    let lines = plan.planned.map { planned in
      [zone.format(planned.instant), planned.isSkipped ? "skipped" : nil, planned.note].compactMap { $0 }
        .joined(separator: " | ")
    }
    return (lines, plan.hasMore)
  }

  @Test("a skipped time appears at the clock change")
  func skipped() throws {
    let plan = try plan("30 2 * * *", "Europe/Berlin", from: "2026-03-28 00:00", to: "2026-03-30 12:00")
    #expect(
      plan.lines == [
        "2026-03-28T02:30:00+01:00",
        "2026-03-29T03:00:00+02:00 | skipped | 02:30 is skipped: the clocks go from 02:00 to 03:00",
        "2026-03-30T02:30:00+02:00",
      ])
    #expect(!plan.hasMore)
  }

  @Test("an instant due at the change itself carries the note about skipped times")
  func skippedAtAnInstant() throws {
    let plan = try plan("*/20 2-3 * * *", "Europe/Berlin", from: "2026-03-29 00:00", to: "2026-03-29 03:20")
    #expect(
      plan.lines == [
        "2026-03-29T03:00:00+02:00 | 3 times from 02:00 to 02:40 are skipped: the clocks go from 02:00 to 03:00",
        "2026-03-29T03:20:00+02:00",
      ])
  }

  @Test("a time that occurs twice has a note")
  func doubled() throws {
    let plan = try plan("30 1-3 * * *", "Europe/Berlin", from: "2026-10-25 00:00", to: "2026-10-26 00:00")
    #expect(
      plan.lines == [
        "2026-10-25T01:30:00+02:00",
        "2026-10-25T02:30:00+02:00 | 02:30 occurs twice, and the first time counts: the clocks go back from 03:00 to 02:00",
        "2026-10-25T03:30:00+01:00",
      ])
  }

  @Test("pages follow each other without a gap, whatever the limit")
  func pages() throws {
    let berlin = try zone("Europe/Berlin")
    let schedule = try CronExpression("*/20 1-3 * * *")
    let (start, end) = (try instant("2026-03-28 22:00", berlin), try instant("2026-03-30 22:00", berlin))
    let whole = schedule.plan(after: start, upTo: end, in: berlin, limit: 1000)
    #expect(!whole.hasMore && whole.planned.count == 15)
    for limit in 1...16 {
      var planned: [CronExpression.Planned] = []
      var at = start
      while true {
        let page = schedule.plan(after: at, upTo: end, in: berlin, limit: limit)
        #expect(page.planned.count <= limit)
        planned += page.planned
        guard page.hasMore, let last = page.planned.last else { break }
        at = last.instant
      }
      #expect(planned == whole.planned)
    }
  }

  @Test(
    "the count matches the number of instants",
    arguments: ["Europe/Berlin", "UTC", "America/Sao_Paulo", "Australia/Lord_Howe"])
  func counts(_ name: String) throws {
    let zone = try zone(name)
    var numbers = SeededNumbers(state: 11)
    for line in ["0 */2 * * *", "0 3 * * *", "15 2,3 1-7 * mon", "0 0 29 2 *", "30 23 L * *"] {
      let schedule = try CronExpression(line)
      for _ in 0..<6 {
        let start = UnixTime.random(in: 1_000_000_000...1_800_000_000, using: &numbers)
        let end = start + UnixTime.random(in: 0...9_000_000, using: &numbers)
        var count = 0
        var at = start
        while let next = schedule.next(after: at, in: zone), next <= end { (count, at) = (count + 1, next) }
        #expect(schedule.count(after: start, upTo: end, in: zone) == count, "\(line) \(start) \(end)")
      }
    }
  }

  @Test("years of seconds are counted quickly")
  func quick() throws {
    let berlin = try zone("Europe/Berlin")
    let (start, end) = (try instant("2016-01-01 00:00", berlin), try instant("2026-01-01 00:00", berlin))
    var count = 0
    let time = try ContinuousClock().measure {
      count = try CronExpression("* * * * * *").count(after: start, upTo: end, in: berlin)
    }
    // 3,653 days; the ten repeated hours count once each, and the ten skipped hours never occur.
    #expect(count == 3653 * 86_400 - 10 * 3600)
    #expect(time < .seconds(5))
  }
}
