import PluginKit
import PluginKitTesting
import Testing

@testable import CronPlugin

@Suite(.timeLimit(.minutes(5))) struct CronTests {
  /// 2026-01-01T00:00:30Z, a Thursday.
  private let start = Timestamp(seconds: 1_767_225_630)
  private let input: JSONValue = ["pipeline": "nightly"]

  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(notation: text)) }

  private func instants(_ instance: TestInstance) -> [String] {
    instance.events.compactMap { if case .rerun(let event) = $0 { event["instant"]?.stringValue } else { nil } }
  }

  @Test func itRunsAtTheInstantsOfTheSchedule() async throws {
    let host = try TestPluginHost(Cron.self, now: start)
    let instance = try host.controller("cron", with: ["schedule": "0 9 * * mon-fri", "zone": "Europe/Berlin"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2026-01-01T08:00:00Z"))
    #expect(instance.events.isEmpty)
    host.clock.setWallClock(to: try time("2026-01-01T08:00:00.004Z"))
    await host.clock.hasTimer(at: try time("2026-01-02T08:00:00Z"))
    host.clock.setWallClock(to: try time("2026-01-02T08:00:00Z"))
    await host.clock.hasTimer(at: try time("2026-01-05T08:00:00Z"))
    #expect(
      instance.events == [
        .rerun([
          "reason": "'0 9 * * mon-fri' was due at 2026-01-01T09:00:00+01:00", "instant": "2026-01-01T08:00:00Z",
          "local_time": "2026-01-01T09:00:00+01:00", "schedule": "0 9 * * mon-fri", "zone": "Europe/Berlin",
        ]),
        .rerun([
          "reason": "'0 9 * * mon-fri' was due at 2026-01-02T09:00:00+01:00", "instant": "2026-01-02T08:00:00Z",
          "local_time": "2026-01-02T09:00:00+01:00", "schedule": "0 9 * * mon-fri", "zone": "Europe/Berlin",
        ]),
      ])
    instance.stop()
    try await instance.end()
    #expect(host.faults.isEmpty && host.log.isEmpty)
  }

  /// Starts a controller on a host that was away from 00:00:30 until `now`, and returns the runs that it requests until it waits.
  private func afterAbsence(
    until now: String, _ settings: JSONValue, remembered: Bool = true
  ) async throws -> (instants: [String], log: [String]) {
    let host = try TestPluginHost(Cron.self, now: try time(now))
    if remembered { host.storage = ["last nightly UTC 0 * * * *": "2026-01-01T00:00:00Z"] }
    let instance = try host.controller("cron", with: settings)
    instance.start(input)
    await host.clock.hasTimers()
    return (instants(instance), host.log.map(\.message))
  }

  @Test func missedInstantsAreLeftOutByDefault() async throws {
    let (instants, log) = try await afterAbsence(until: "2026-01-01T05:30:00Z", ["schedule": "0 * * * *"])
    #expect(instants.isEmpty)
    #expect(
      log == ["instants of '0 * * * *' after 2026-01-01T00:00:00Z were missed and are skipped because catch_up is none"]
    )
  }

  /// Returns the instants that a controller leaves out after being away since the first instant of 2026.
  private func leftOut(until now: String, _ settings: JSONValue) async throws -> [JSONValue] {
    let host = try TestPluginHost(Cron.self, now: try time(now))
    let schedule = try #require(settings["schedule"]?.stringValue)
    host.storage = ["last nightly UTC \(schedule)": "2026-01-01T00:00:00Z"]
    let instance = try host.controller("cron", with: settings)
    instance.start(input)
    await host.clock.hasTimers()
    #expect(host.faults.isEmpty)
    let events = instance.events
    let told = events.prefix { if case .leftOut = $0 { true } else { false } }
    // Reported before all runs.
    #expect(events.count { if case .leftOut = $0 { true } else { false } } == told.count)
    instance.destroy()
    return told.compactMap { if case .leftOut(let instants) = $0 { instants } else { nil } }
  }

  @Test func whatIsLeftOutIsTold() async throws {
    #expect(
      try await leftOut(until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *"]) == [
        [
          "reason": "host-down",
          "instants": ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"],
        ]
      ])
    #expect(
      try await leftOut(until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "last"]) == [
        ["reason": "host-down", "instants": ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"]]
      ])
    #expect(
      try await leftOut(
        until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "all", "catch_up_limit": 2]) == [
          ["reason": "catch-up-limit", "instants": ["2026-01-01T01:00:00Z"]]
        ])
    #expect(
      try await leftOut(until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "all"]) == [])
  }

  @Test func ofManyInstantsThatAreLeftOutTheLatestTenThousandAreNamedAndTheOthersCounted() async throws {
    let told = try await leftOut(until: "2026-07-01T00:00:30Z", ["schedule": "* * * * *"])
    #expect(told.count == 2)
    // 181 days of 1,440 minutes, the last of which is run, as it is not late.
    #expect(
      told.first == [
        "reason": "host-down", "first": "2026-01-01T00:01:00Z", "last": "2026-06-24T01:19:00Z",
        "count": .int(181 * 1440 - 1 - 10_000),
      ])
    let named = try #require(told.last?["instants"]?.arrayValue)
    #expect(named.count == 10_000)
    #expect(named.first == "2026-06-24T01:20:00Z" && named.last == "2026-06-30T23:59:00Z")
  }

  @Test func aHostThatKeepsNoMoreIsToldARange() async throws {
    let host = try TestPluginHost(Cron.self, now: try time("2026-01-01T03:30:00Z"))
    host.storage = ["last nightly UTC 0 * * * *": "2026-01-01T00:00:00Z"]
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
    instance.isFull = true
    instance.start(input)
    await host.clock.hasTimers()
    #expect(instance.events.isEmpty && host.faults.isEmpty)
    instance.destroy()
  }

  @Test func whatComesIsKnownBeforehand() throws {
    let host = try TestPluginHost(Cron.self, now: start)
    let instance = try host.controller("cron", with: ["schedule": "30 2 * * *", "zone": "Europe/Berlin"])
    let answer = try instance.instants(
      after: try time("2026-03-28T00:00:00Z"), until: try time("2026-03-30T00:30:00Z"), limit: 3)
    #expect(
      answer == [
        "zone": "Europe/Berlin",
        "instants": [
          ["instant": "2026-03-28T01:30:00Z", "local_time": "2026-03-28T02:30:00+01:00"],
          [
            "instant": "2026-03-29T01:00:00Z", "local_time": "2026-03-29T03:00:00+02:00", "skipped": true,
            "note": "02:30 is skipped: the clocks go from 02:00 to 03:00",
          ],
          ["instant": "2026-03-30T00:30:00Z", "local_time": "2026-03-30T02:30:00+02:00"],
        ],
      ])
    #expect(
      try instance.instants(after: start, until: try time("2027-01-01T00:00:00Z"), limit: 1)?["more"] == true)
    instance.destroy()
  }

  @Test func anInstantJustMissedByARestartIsRun() async throws {
    let (instants, _) = try await afterAbsence(until: "2026-01-01T05:00:20Z", ["schedule": "0 * * * *"])
    #expect(instants == ["2026-01-01T05:00:00Z"])
  }

  @Test func theLastMissedInstantCanBeMadeUpFor() async throws {
    let (instants, log) = try await afterAbsence(
      until: "2026-01-01T05:30:00Z", ["schedule": "0 * * * *", "catch_up": "last"])
    #expect(instants == ["2026-01-01T05:00:00Z"])
    #expect(log.count == 1)
  }

  @Test func allMissedInstantsCanBeMadeUpForUpToALimit() async throws {
    #expect(
      try await afterAbsence(until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "all"])
        == (["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"], []))
    let (instants, log) = try await afterAbsence(
      until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "all", "catch_up_limit": 2])
    #expect(instants == ["2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"])
    #expect(
      log == [
        "instants of '0 * * * *' after 2026-01-01T00:00:00Z were missed and are skipped except the latest 2 "
          + "because of catch_up_limit"
      ])
  }

  @Test func whatIsSeenForTheFirstTimeHasMissedNothing() async throws {
    let (instants, log) = try await afterAbsence(
      until: "2026-01-01T03:30:00Z", ["schedule": "0 * * * *", "catch_up": "all"], remembered: false)
    #expect(instants.isEmpty && log.isEmpty)
  }

  @Test func aRestartGoesOnWhereTheHostEnded() async throws {
    let settings: JSONValue = ["schedule": "0 * * * *", "catch_up": "all"]
    let first = try TestPluginHost(Cron.self, now: start)
    let before = try first.controller("cron", with: settings)
    before.start(input)
    await first.clock.hasTimer(at: try time("2026-01-01T01:00:00Z"))
    first.clock.setWallClock(to: try time("2026-01-01T01:00:00Z"))
    await first.clock.hasTimer(at: try time("2026-01-01T02:00:00Z"))
    #expect(
      first.storage == [
        "first nightly UTC 0 * * * *": "2026-01-01T00:00:30Z", "last nightly UTC 0 * * * *": "2026-01-01T01:00:00Z",
      ])
    before.destroy()

    let second = try TestPluginHost(Cron.self, now: try time("2026-01-01T03:10:00Z"))
    second.storage = first.storage
    let after = try second.controller("cron", with: settings)
    after.start(input)
    await second.clock.hasTimer(at: try time("2026-01-01T04:00:00Z"))
    #expect(instants(after) == ["2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z"])
    guard case .rerun(let event) = after.events.first else {
      Issue.record("no rerun")
      return
    }
    #expect(event["catch_up"] == true)
    #expect(event["reason"] == "'0 * * * *' was due at 2026-01-01T02:00:00Z, run late")
    after.destroy()
  }

  @Test func instantsThatAreSleptThroughAreMissedToo() async throws {
    let host = try TestPluginHost(Cron.self, now: start)
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *", "catch_up": "last"])
    instance.start(input)
    await host.clock.hasTimers()
    host.clock.advance(by: .seconds(5 * 3600))
    await host.clock.hasTimer(at: try time("2026-01-01T06:00:00Z"))
    #expect(instants(instance) == ["2026-01-01T05:00:00Z"])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackABitRepeatsNothing() async throws {
    let host = try TestPluginHost(Cron.self, now: try time("2026-01-01T01:30:00Z"))
    host.storage = ["last nightly UTC 0 * * * *": "2026-01-01T02:00:00Z"]
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *", "catch_up": "all"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2026-01-01T03:00:00Z"))
    #expect(instance.events.isEmpty && host.log.isEmpty)
    instance.destroy()
  }

  @Test(arguments: [false, true]) func aClockThatIsSetBackToBeforeTheFirstUseContinuesThere(restarts: Bool) async throws
  {
    let host = try TestPluginHost(Cron.self, now: try time("2026-01-01T12:10:00Z"))
    var instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2026-01-01T13:00:00Z"))
    if restarts { instance.destroy() }
    host.clock.setWallClock(to: try time("2026-01-01T10:30:00Z"))
    if restarts {
      instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
      instance.start(input)
    } else {
      // The clock is read when the timer fires.
      host.clock.advance(by: .seconds(50 * 60))
    }
    let next = restarts ? "2026-01-01T11:00:00Z" : "2026-01-01T12:00:00Z"
    await host.clock.hasTimer(at: try time(next))
    #expect(host.log.map(\.message).first?.hasPrefix("the clock was set back, from 2026-01-01T12:10:00Z to ") == true)
    host.clock.setWallClock(to: try time(next))
    _ = await instance.events(restarts ? 1 : 2)
    #expect(instants(instance) == [next])
    if !restarts {
      // It was noticed too late for this one.
      let missed = instance.events.compactMap { if case .leftOut(let told) = $0 { told } else { nil } }
      #expect(missed == [["reason": "host-down", "instants": ["2026-01-01T11:00:00Z"]]])
    }
    instance.destroy()
  }

  @Test func aJitterThatARestartInterruptsGoesOn() async throws {
    for (now, isLost) in [("2026-01-01T01:09:00Z", false), ("2026-01-01T01:12:00Z", true)] {
      let host = try TestPluginHost(Cron.self, now: try time(now))
      host.storage = ["last nightly UTC 0 * * * *": "2026-01-01T00:00:00Z"]
      let instance = try host.controller("cron", with: ["schedule": "0 * * * *", "jitter": "10m"])
      instance.start(input)
      await host.clock.hasTimers()
      // Its delay ends now at the latest.
      host.clock.advance(by: .seconds(60))
      _ = await instance.events(1)
      #expect(instants(instance) == (isLost ? [] : ["2026-01-01T01:00:00Z"]))
      instance.destroy()
    }
  }

  @Test func aMemoryFromTheFarFutureDoesNotSilenceIt() async throws {
    let host = try TestPluginHost(Cron.self, now: start)
    host.storage = ["last nightly UTC 0 * * * *": "2040-01-01T00:00:00Z"]
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2026-01-01T01:00:00Z"))
    #expect(
      host.log.map(\.message) == [
        "the clock was set back, from 2040-01-01T00:00:00Z to 2026-01-01T00:00:30Z; the schedule continues from there"
      ])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackByYearsWhileItWaitsIsNoticedByTheNextInstantAtTheLatest() async throws {
    let host = try TestPluginHost(Cron.self, now: try time("2040-01-01T00:10:00Z"))
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2040-01-01T01:00:00Z"))
    host.clock.setWallClock(to: start)
    host.clock.advance(by: .seconds(50 * 60))
    await host.clock.hasTimer(at: try time("2026-01-01T01:00:00Z"))
    #expect(instance.events.isEmpty)
    #expect(
      host.log.map(\.message) == [
        "the clock was set back, from 2040-01-01T00:10:00Z to 2026-01-01T00:50:30Z; the schedule continues from there"
      ])
    host.clock.advance(by: .seconds(570))
    await host.clock.hasTimer(at: try time("2026-01-01T02:00:00Z"))
    #expect(instants(instance) == ["2026-01-01T01:00:00Z"])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackALittleWhileItWaitsNeitherRepeatsNorHurriesAnything() async throws {
    let host = try TestPluginHost(Cron.self, now: start)
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *"])
    instance.start(input)
    let hour = try time("2026-01-01T01:00:00Z")
    await host.clock.hasTimer(at: hour)
    host.clock.setWallClock(to: hour)
    await host.clock.hasTimer(at: try time("2026-01-01T02:00:00Z"))
    host.clock.setWallClock(to: start)
    // An hour has passed and the clock shows 01:00:30: the run due at one is not due again.
    host.clock.advance(by: .seconds(3600))
    await host.clock.hasTimer(at: try time("2026-01-01T02:00:00Z"))
    host.clock.advance(by: .seconds(3600))
    await host.clock.hasTimer(at: try time("2026-01-01T03:00:00Z"))
    #expect(instants(instance) == ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"])
    #expect(host.log.isEmpty)
    instance.destroy()
  }

  @Test func jitterMovesTheRunAndNotItsInstant() async throws {
    let host = try TestPluginHost(Cron.self, now: start)
    let instance = try host.controller("cron", with: ["schedule": "0 * * * *", "jitter": "10m"])
    instance.start(input)
    await host.clock.hasTimers()
    let due = try #require(host.clock.timers.first)
    let hour = try time("2026-01-01T01:00:00Z")
    #expect(due > hour && due < hour.advanced(by: .seconds(600)))
    host.clock.setWallClock(to: due)
    _ = await instance.events(1)
    #expect(instants(instance) == ["2026-01-01T01:00:00Z"])
    #expect(host.log.isEmpty)
    instance.destroy()
  }

  @Test func aDoubledTimeRunsOnceAndASkippedOneNotAtAll() async throws {
    let host = try TestPluginHost(Cron.self, now: try time("2026-10-24T20:00:00Z"))
    let instance = try host.controller("cron", with: ["schedule": "30 2 * * *", "zone": "Europe/Berlin"])
    instance.start(input)
    await host.clock.hasTimer(at: try time("2026-10-25T00:30:00Z"))
    host.clock.setWallClock(to: try time("2026-10-25T00:30:00Z"))
    await host.clock.hasTimer(at: try time("2026-10-26T01:30:00Z"))
    host.clock.setWallClock(to: try time("2027-03-28T00:00:00Z"))
    await host.clock.hasTimer(at: try time("2027-03-29T00:30:00Z"))
    #expect(instants(instance) == ["2026-10-25T00:30:00Z"])
    instance.destroy()
  }

  @Test(
    arguments: [
      (["schedule": "0 25 * * *"], "invalid-schedule", "schedule: the hour cannot be 25; use 0-23 (position 3)"),
      (
        ["schedule": "0/15 * * * *"], "invalid-schedule",
        "schedule: a step needs * or a range before it (position 1); write '0-59/15'"
      ),
      (
        ["schedule": "0 0 30 2 *"], "invalid-schedule",
        "schedule: '0 0 30 2 *' is never due in UTC; check its days and months"
      ),
      (
        ["schedule": "@daily", "zone": "Europe/Berln"], "unknown-time-zone",
        "zone: there is no time zone 'Europe/Berln'; did you mean 'Europe/Berlin'?"
      ),
      (
        ["schedule": "@daily", "zone": "../etc/passwd"], "unknown-time-zone",
        "zone: '../etc/passwd' is not the name of a time zone; use a name such as Europe/Berlin, America/New_York or UTC"
      ),
      (["schedule": "@daily", "catch_up_limit": 0], "invalid-settings", "catch_up_limit: 0 must be from 1 to 10000"),
      (["schedule": "@daily", "jitter": "1d"], "invalid-settings", "jitter: 1d must be shorter than a day"),
      (
        ["schedule": "@daily", "catch_up": "some"], "invalid-settings",
        "catch_up: expected one of none, last, all, found \"some\""
      ),
    ] as [(JSONValue, String, String)])
  func impossibleSettingsAreRefusedWithCodeAndPlace(settings: JSONValue, code: String, message: String) throws {
    let host = try TestPluginHost(Cron.self)
    let problem = try #require(throws: PluginProblem.self) { try host.controller("cron", with: settings) }
    #expect(problem.code == code)
    #expect(problem.message == message)
  }

  @Test func thePositionOfAMistakeIsThereForPrograms() throws {
    let host = try TestPluginHost(Cron.self)
    let problem = try #require(throws: PluginProblem.self) {
      try host.controller("cron", with: ["schedule": "0 25 * * *"])
    }
    #expect(problem.detail == ["setting": "schedule", "position": 3, "length": 2])
  }
}
