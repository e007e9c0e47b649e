import PluginKit
import PluginKitTesting
import Testing

@testable import IntervalPlugin

@Suite(.timeLimit(.minutes(5))) struct IntervalTests {
  private let start = Timestamp(seconds: 1_000_000_007)

  private func reruns(_ instance: TestInstance) -> [JSONValue] {
    instance.events.compactMap { if case .rerun(let event) = $0 { event } else { nil } }
  }

  @Test func instantsAreAlignedToTheEpoch() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_010))
    #expect(instance.events.isEmpty)
    host.clock.advance(by: .seconds(3))
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_020))
    host.clock.advance(by: .seconds(10))
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_030))
    #expect(
      reruns(instance) == [
        ["reason": "every 10s", "instant": "2001-09-09T01:46:50Z"],
        ["reason": "every 10s", "instant": "2001-09-09T01:47:00Z"],
      ])
    instance.stop()
    try await instance.end()
    #expect(instance.events.last == .completed(nil))
    #expect(host.faults.isEmpty)
  }

  @Test func instantsMayBeCountedFromTheStart() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s", "align": "start"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_017))
    instance.destroy()
  }

  @Test func immediatelyRunsOnceAtTheStart() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "1h", "immediately": true])
    instance.start()
    await host.clock.hasTimers()
    #expect(reruns(instance) == [["reason": "every 1h, at the start"]])
    instance.destroy()
  }

  @Test func jitterMovesTheRunAndNotItsInstant() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s", "jitter": "5s"])
    instance.start()
    await host.clock.hasTimers()
    let due = try #require(host.clock.timers.first)
    #expect(due >= Timestamp(seconds: 1_000_000_010) && due < Timestamp(seconds: 1_000_000_015))
    host.clock.advance(by: start.duration(to: due))
    _ = await instance.events(1)
    #expect(reruns(instance) == [["reason": "every 10s", "instant": "2001-09-09T01:46:50Z"]])
    instance.destroy()
  }

  @Test func instantsThatWereSleptThroughComeDownToTheLastOne() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimers()
    host.clock.advance(by: .seconds(36))
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_050))
    #expect(reruns(instance) == [["reason": "every 10s", "instant": "2001-09-09T01:47:20Z"]])
    #expect(
      leftOut(instance) == [
        [
          "reason": "host-down",
          "instants": ["2001-09-09T01:46:50Z", "2001-09-09T01:47:00Z", "2001-09-09T01:47:10Z"],
        ]
      ])
    #expect(
      host.log == [
        TestLogLine(
          level: .warning, message: "missed 3 instants, for example while the computer was asleep",
          fields: ["count": 3, "first": "2001-09-09T01:46:50Z"])
      ])
    instance.destroy()
  }

  private func leftOut(_ instance: TestInstance) -> [JSONValue] {
    instance.events.compactMap { if case .leftOut(let instants) = $0 { instants } else { nil } }
  }

  @Test func whatCameWhileNoHostRanIsToldAtTheNextStart() async throws {
    let first = try TestPluginHost(Interval.self, now: start)
    let before = try first.controller("interval", with: ["every": "10s"])
    before.start(["pipeline": "p"])
    await first.clock.hasTimer(at: Timestamp(seconds: 1_000_000_010))
    #expect(leftOut(before).isEmpty)
    first.clock.advance(by: .seconds(3))
    await first.clock.hasTimer(at: Timestamp(seconds: 1_000_000_020))
    #expect(first.storage == ["last p 10s": "2001-09-09T01:46:50Z"])
    before.destroy()

    let second = try TestPluginHost(Interval.self, now: start.advanced(by: .seconds(33)))
    second.storage = first.storage
    let after = try second.controller("interval", with: ["every": "10s"])
    after.start(["pipeline": "p"])
    await second.clock.hasTimer(at: Timestamp(seconds: 1_000_000_050))
    #expect(
      after.events == [
        .leftOut([
          "reason": "host-down",
          "instants": ["2001-09-09T01:47:00Z", "2001-09-09T01:47:10Z", "2001-09-09T01:47:20Z"],
        ])
      ])
    #expect(second.storage == ["last p 10s": "2001-09-09T01:47:20Z"])
    after.destroy()
  }

  @Test(
    arguments: [
      (late: 4, leftOut: ["2001-09-09T01:47:00Z"]), (5, ["2001-09-09T01:47:00Z", "2001-09-09T01:47:10Z"]),
    ] as [(late: Int64, leftOut: [String])])
  func aJitterThatARestartInterruptsGoesOn(late: Int64, leftOut missed: [String]) async throws {
    let due = Timestamp(seconds: 1_000_000_030)
    let host = try TestPluginHost(Interval.self, now: due.advanced(by: .seconds(late)))
    host.storage = ["last p 10s": "2001-09-09T01:46:50Z"]
    let instance = try host.controller("interval", with: ["every": "10s", "jitter": "5s"])
    instance.start(["pipeline": "p"])
    let isMissed = missed.count == 2
    await host.clock.hasTimers()
    if !isMissed {
      // Its delay ends now at the latest.
      host.clock.advance(by: .seconds(1))
      _ = await instance.events(2)
      await host.clock.hasTimers()
    }
    #expect(try #require(host.clock.timers.first) >= due.advanced(by: .seconds(10)))
    #expect(host.storage == ["last p 10s": isMissed ? "2001-09-09T01:47:15Z" : "2001-09-09T01:47:09.999999999Z"])
    #expect(reruns(instance).map { $0["instant"] } == (isMissed ? [] : ["2001-09-09T01:47:10Z"]))
    #expect(leftOut(instance).first?["instants"] == .array(missed.map(JSONValue.string)))
    instance.destroy()
  }

  @Test func ofManyInstantsThatAreLeftOutTheLatestTenThousandAreNamedAndTheOthersCounted() async throws {
    let host = try TestPluginHost(Interval.self, now: Timestamp(seconds: 1_000_000_000))
    host.storage = ["last  10ms": "2001-09-09T01:45:00Z"]
    let instance = try host.controller("interval", with: ["every": "10ms"])
    instance.start()
    await host.clock.hasTimers()
    let told = leftOut(instance)
    #expect(told.count == 1)
    #expect(told.last?["instants"]?.arrayValue?.count == 10_000)
    instance.destroy()
    let years = try TestPluginHost(Interval.self, now: Timestamp(seconds: 1_000_000_000))
    years.storage = ["last  1m": "2000-09-09T01:46:00Z"]
    let minutes = try years.controller("interval", with: ["every": "1m"])
    minutes.start()
    await years.clock.hasTimers()
    #expect(
      leftOut(minutes).first == [
        "reason": "host-down", "first": "2000-09-09T01:47:00Z", "last": "2001-09-02T03:06:00Z",
        "count": .int(365 * 1440 - 10_000),
      ])
    minutes.destroy()
    #expect(host.faults.isEmpty && years.faults.isEmpty)
  }

  @Test func countedFromTheStartNothingIsRememberedOrKnownBeforehand() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s", "align": "start"])
    #expect(try instance.instants(after: start, until: start.advanced(by: .seconds(60))) == nil)
    instance.start()
    await host.clock.hasTimers()
    #expect(host.storage.isEmpty)
    instance.destroy()
  }

  @Test func whatComesIsKnownBeforehand() throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s"])
    #expect(
      try instance.instants(after: start, until: start.advanced(by: .seconds(60)), limit: 2) == [
        "zone": "UTC", "instants": [["instant": "2001-09-09T01:46:50Z"], ["instant": "2001-09-09T01:47:00Z"]],
        "more": true,
      ])
    #expect(try instance.instants(after: start, until: start)?["instants"] == [])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackByMoreThanAnIntervalIsNoticedWithinOne() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_010))
    host.clock.setWallClock(to: Timestamp(seconds: 500_000_002))
    host.clock.advance(by: .seconds(3))
    await host.clock.hasTimer(at: Timestamp(seconds: 500_000_010))
    #expect(instance.events.isEmpty)
    #expect(
      host.log == [
        TestLogLine(
          level: .warning, message: "the clock was set back; the intervals continue from there",
          fields: ["now": "1985-11-05T00:53:25Z"])
      ])
    host.clock.advance(by: .seconds(5))
    await host.clock.hasTimer(at: Timestamp(seconds: 500_000_020))
    #expect(reruns(instance) == [["reason": "every 10s", "instant": "1985-11-05T00:53:30Z"]])
    instance.destroy()
  }

  @Test func aClockThatIsSetBackByLessMakesTheNextInstantNoOther() async throws {
    let host = try TestPluginHost(Interval.self, now: start)
    let instance = try host.controller("interval", with: ["every": "10s"])
    instance.start()
    let next = Timestamp(seconds: 1_000_000_010)
    await host.clock.hasTimer(at: next)
    host.clock.setWallClock(to: Timestamp(seconds: 1_000_000_002))
    host.clock.advance(by: .seconds(3))
    await host.clock.hasTimer(at: next)
    host.clock.advance(by: .seconds(5))
    await host.clock.hasTimer(at: Timestamp(seconds: 1_000_000_020))
    #expect(reruns(instance) == [["reason": "every 10s", "instant": "2001-09-09T01:46:50Z"]])
    #expect(host.log.isEmpty)
    instance.destroy()
  }

  @Test(
    arguments: [
      (["every": "1ms"], "every: 1ms is too short; it must be at least 10ms"),
      (["every": "10s", "jitter": "10s"], "jitter: 10s must be shorter than 'every', 10s"),
    ] as [(JSONValue, String)])
  func impossibleSettingsAreRefused(settings: JSONValue, reason: String) throws {
    let host = try TestPluginHost(Interval.self)
    let problem = #expect(throws: PluginProblem.self) { try host.controller("interval", with: settings) }
    #expect(problem?.code == "invalid-settings")
    #expect(problem?.message == reason)
  }
}
