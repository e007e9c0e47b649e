import PluginKit
import PluginKitTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OfferControllerTests {
  @Test func aTaskControllerTellsStatesAndRerunsAndEndsByItself() async throws {
    let host = try TestPluginHost(Words.self, now: Timestamp(seconds: 0))
    let instance = try host.controller("words.ticks", with: ["every": "10s"])
    instance.start(["pipeline": "p"])
    await host.clock.hasTimer(at: Timestamp(seconds: 10))
    host.clock.advance(by: .seconds(10))
    await host.clock.hasTimer(at: Timestamp(seconds: 20))
    host.clock.advance(by: .seconds(10))
    try await instance.end()
    #expect(
      instance.events == [
        .state(1), .rerun(["reason": "tick 1", "instant": "1970-01-01T00:00:10Z", "tick": 1]),
        .state(2), .rerun(["reason": "tick 2", "instant": "1970-01-01T00:00:20Z", "tick": 2]),
        .completed(nil),
      ])
    #expect(host.faults.isEmpty)
  }

  @Test func stoppingATaskControllerEndsItWell() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.controller("words.ticks", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimers()
    instance.stop()
    try await instance.end()
    #expect(instance.events == [.completed(nil)])
  }

  @Test func aSubscribedControllerTellsEverythingAndEndsWhenItIsStopped() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.controller("words.states")
    instance.start()
    #expect(
      instance.events == [.state("one"), .error(PluginProblem("hiccup", "once")), .reset, .rerun(.object([:]))])
    #expect(host.log.isEmpty)
    instance.stop()
    #expect(instance.events.last == .completed(nil))
    #expect(host.log.map(\.message) == ["ended"])
    instance.destroy()
    #expect(host.log.count == 1)
    #expect(host.faults.isEmpty)
  }

  @Test func aControllerIsToldThatWhatItTellsIsKept() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.controller("words.latest")
    instance.start()
    #expect(
      host.log.map(\.message) == [
        "a state: kept", "a rerun: kept", "a rerun with an instant: kept", "what is no state: refused",
      ])
    #expect(instance.events.count == 4)
    instance.destroy()
    #expect(host.log.last?.message == "after the end: refused")
  }

  @Test func aControllerIsToldThatItsPipelineCannotKeepUp() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.controller("words.latest")
    instance.isFull = true
    instance.start()
    #expect(
      host.log.map(\.message) == [
        "a state: full", "a rerun: full", "a rerun with an instant: full", "what is no state: refused",
      ])
    // The error about the invalid state.
    #expect(instance.events.count == 1)
    instance.destroy()
  }

  @Test func whatBecomesOfTheOldestStandsInTheDescription() throws {
    let host = try TestPluginHost(Words.self)
    let offers = try #require(try host.description["offers"]?.arrayValue)
    let replacing = offers.filter { $0["when_full"] != nil }
    #expect(replacing.map { $0["id"] } == ["words.latest"])
    #expect(replacing.first?["when_full"] == "replace")
  }

  @Test func aDelayGoesOnWhenTheWallClockIsSetForwards() async throws {
    let host = try TestPluginHost(Words.self, now: Timestamp(seconds: 0))
    let instance = try host.controller("words.ticks", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 10))
    host.clock.setWallClock(to: Timestamp(seconds: 5000))
    await host.clock.hasTimer(at: Timestamp(seconds: 5010))
    #expect(instance.events.isEmpty)
    instance.destroy()
  }

  @Test func aDelayTakesNoLongerWhenTheWallClockIsSetBack() async throws {
    let host = try TestPluginHost(Words.self, now: Timestamp(seconds: 5000))
    let instance = try host.controller("words.ticks", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 5010))
    host.clock.setWallClock(to: Timestamp(seconds: 0))
    host.clock.advance(by: .seconds(9))
    #expect(instance.events.isEmpty)
    host.clock.advance(by: .seconds(1))
    // A state and a rerun.
    #expect(await instance.events(2).count == 2)
    instance.destroy()
  }
}
