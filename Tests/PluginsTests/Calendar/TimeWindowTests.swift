import PluginKit
import PluginKitTesting
import Testing

@testable import CalendarPlugin

@Suite(.timeLimit(.minutes(5))) struct TimeWindowSpecificationTests {
  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(notation: text)) }

  private let office: JSONValue = ["days": "mon-fri", "from": "08:00", "to": "18:00", "zone": "Europe/Berlin"]

  @Test func itTellsItsValueAtOnceAndEachChangeWhenItComes() async throws {
    // A Friday, 09:12 in Berlin.
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-02T08:12:00Z"))
    let instance = try host.specification("calendar.time-window", with: office)
    instance.start()
    #expect(
      instance.events == [
        .changed(true, reason: "open until Friday 18:00 in Europe/Berlin (08:00 to 18:00, mon-fri)")
      ])
    await host.clock.hasTimer(at: try time("2026-01-02T17:00:00Z"))
    host.clock.setWallClock(to: try time("2026-01-02T17:00:00Z"))
    await host.clock.hasTimer(at: try time("2026-01-05T07:00:00Z"))
    host.clock.setWallClock(to: try time("2026-01-05T07:00:00Z"))
    await host.clock.hasTimer(at: try time("2026-01-05T17:00:00Z"))
    #expect(
      instance.events.dropFirst() == [
        .changed(false, reason: "closed until Monday 08:00 in Europe/Berlin (08:00 to 18:00, mon-fri)"),
        .changed(true, reason: "open until Monday 18:00 in Europe/Berlin (08:00 to 18:00, mon-fri)"),
      ])
    instance.stop()
    try await instance.end()
    #expect(host.clock.timers.isEmpty)
    #expect(host.faults.isEmpty)
  }

  @Test func itsChangesAreKnownBeforehand() throws {
    let host = try TestPluginHost(CalendarConditions.self)
    let instance = try host.specification("calendar.time-window", with: office)
    #expect(
      try instance.instants(after: try time("2026-01-02T08:12:00Z"), until: try time("2026-01-05T07:00:00Z")) == [
        "zone": "Europe/Berlin",
        "instants": [
          ["instant": "2026-01-02T17:00:00Z", "local_time": "2026-01-02T18:00:00+01:00", "value": false],
          ["instant": "2026-01-05T07:00:00Z", "local_time": "2026-01-05T08:00:00+01:00", "value": true],
        ],
      ])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackIsNoticedWhenTheChangeWouldHaveComeAtTheLatest() async throws {
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-02T08:12:00Z"))
    let instance = try host.specification("calendar.time-window", with: office)
    instance.start()
    await host.clock.hasTimer(at: try time("2026-01-02T17:00:00Z"))
    host.clock.setWallClock(to: try time("2026-01-01T18:00:00Z"))
    host.clock.advance(by: .seconds(8 * 3600 + 48 * 60))
    await host.clock.hasTimer(at: try time("2026-01-02T07:00:00Z"))
    #expect(
      instance.events.dropFirst() == [
        .changed(false, reason: "closed until Friday 08:00 in Europe/Berlin (08:00 to 18:00, mon-fri)")
      ])
    instance.destroy()
  }

  @Test func aComputerThatSleptThroughSeveralChangesTellsTheLastValue() async throws {
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-01T08:12:00Z"))
    let instance = try host.specification("calendar.time-window", with: office)
    instance.start()
    await host.clock.hasTimers()
    host.clock.setWallClock(to: try time("2026-01-03T12:00:00Z"))
    await host.clock.hasTimer(at: try time("2026-01-05T07:00:00Z"))
    #expect(
      instance.events.dropFirst() == [
        .changed(false, reason: "closed until Monday 08:00 in Europe/Berlin (08:00 to 18:00, mon-fri)")
      ])
    instance.destroy()
  }

  @Test func whatIsFarAwayHasADate() async throws {
    let host = try TestPluginHost(CalendarConditions.self, now: try time("2026-01-03T12:00:00Z"))
    let instance = try host.specification("calendar.time-window", with: ["days": "sat", "to": "12:00"])
    instance.start()
    #expect(instance.events == [.changed(false, reason: "closed until 2026-01-10 00:00 in UTC (00:00 to 12:00, sat)")])
    instance.destroy()
  }

  @Test func withoutSettingsItIsAlwaysOpenAndWaitsForNothing() async throws {
    let host = try TestPluginHost(CalendarConditions.self)
    let instance = try host.specification("calendar.time-window")
    instance.start()
    #expect(instance.events == [.changed(true, reason: "open (all day, every day)")])
    #expect(host.clock.timers.isEmpty)
    instance.destroy()
  }

  @Test(
    arguments: [
      (
        ["days": "mon-fry"], "invalid-window",
        "days: 'mon-fry' is not a day of the week; write days like mon-fri or sat,sun"
      ),
      (["from": "8"], "invalid-window", "from: '8' is not a time of day; write it as 08:00 or 18:30:15"),
      (["from": "25:00"], "invalid-window", "from: '25:00' is not a time of day; use 00:00 to 24:00"),
      (["from": "24:00"], "invalid-window", "from: a window cannot begin at '24:00'; write 00:00"),
      (["to": "6pm"], "invalid-window", "to: '6pm' is not a time of day; write it as 08:00 or 18:30:15"),
      (
        ["from": "08:00", "to": "08:00"], "invalid-window",
        "to: a window from 08:00 to 08:00 is never open; for whole days write 00:00 to 24:00"
      ),
      (
        ["zone": "America/NewYork"], "unknown-time-zone",
        "zone: there is no time zone 'America/NewYork'; did you mean 'America/New_York'?"
      ),
    ] as [(JSONValue, String, String)])
  func impossibleSettingsAreRefused(settings: JSONValue, code: String, message: String) throws {
    let host = try TestPluginHost(CalendarConditions.self)
    let problem = try #require(throws: PluginProblem.self) {
      try host.specification("calendar.time-window", with: settings)
    }
    #expect(problem.code == code && problem.message == message)
    // The setting that a checked file is marked at.
    let setting = message.split(separator: ":").first.map { JSONValue.string(String($0)) }
    #expect(problem.detail?["setting"] == setting)
  }
}
