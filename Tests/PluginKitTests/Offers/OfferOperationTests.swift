import PluginKit
import PluginKitTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OfferOperationTests {
  @Test func anOperationGetsItsSettingsAndRequirementAndGivesItsResult() async throws {
    let host = try TestPluginHost(Words.self)
    let result = try await host.run(
      "words.count", with: ["separator": ",", "limit": 2], requirement: "one,three,fourteen")
    #expect(result == ["words": 2, "longest": "three"])
    #expect(host.faults.isEmpty)
  }

  @Test func settingsThatAreNotGivenHaveTheirDefaults() async throws {
    let host = try TestPluginHost(Words.self)
    let defaults = try await host.run("words.greet", with: ["name": "Ann"])
    #expect(defaults == "Hello Ann, 1m30s, 4KiB")
    let given = try await host.run(
      "words.greet",
      with: ["name": "Bo", "politeness": "2s", "size": "1MiB", "since": "2026-01-31T08:00:00+01:00"])
    #expect(given == "Hello Bo, 2s, 1MiB since 2026-01-31T07:00:00Z")
  }

  @Test func anOperationWithoutResultCompletesWithNone() async throws {
    let host = try TestPluginHost(Words.self)
    #expect(try await host.run("words.nothing") == nil)
  }

  @Test(arguments: [
    ("coded", PluginProblem("quota-exceeded", "no more today", retryAfter: .milliseconds(2500), detail: ["left": 0])),
    ("other", PluginProblem("plugin-error", "unheard")),
    ("not-a-number", PluginProblem("invalid-result", "nan is not a number in JSON")),
  ])
  func errorsKeepTheirCodesAndMessages(how: String, expected: PluginProblem) async throws {
    let host = try TestPluginHost(Words.self)
    await #expect(throws: expected) { try await host.run("words.fail", with: ["how": .string(how)]) }
  }

  @Test func aRequirementOfAnotherTypeIsAnErrorThatSaysWhatWasExpected() async throws {
    let host = try TestPluginHost(Words.self)
    await #expect(
      throws: PluginProblem("invalid-requirement", "the requirement is invalid: expected a string, found 7")
    ) { try await host.run("words.count", requirement: 7) }
  }

  @Test(
    arguments: [
      (
        "words.count", ["seperator": ","], "unknown setting 'seperator'; the settings are separator, limit, letter_case"
      ),
      (
        "words.count", ["limit": "x"],
        "limit: expected a whole number from -9223372036854775808 through 9223372036854775807, found \"x\""
      ),
      ("words.count", ["letter_case": "upper"], "letter_case: expected one of any, lower, found \"upper\""),
      ("words.greet", [:], "the setting 'name' is missing"),
      (
        "words.greet", ["name": "Ann", "politeness": "soon"],
        "politeness: expected a duration such as '1m30s', found \"soon\""
      ),
      ("words.nothing", ["x": 1], "unknown setting 'x'; there are no settings"),
    ] as [(String, JSONValue, String)])
  func settingsThatDoNotFitAreRefusedWithAReason(offer: String, settings: JSONValue, reason: String) throws {
    let host = try TestPluginHost(Words.self)
    let problem = #expect(throws: PluginProblem.self) { try host.operation(offer, with: settings) }
    #expect(problem?.code == "invalid-settings")
    #expect(problem?.message == reason)
  }

  @Test func whatOnlyThePluginCanCheckIsRefusedWithItsOwnCode() throws {
    let host = try TestPluginHost(Words.self)
    #expect(throws: PluginProblem("no-name", "name: there must be a name")) {
      try host.operation("words.greet", with: ["name": ""])
    }
  }

  @Test func anOperationSleepsByTheHostsClock() async throws {
    let host = try TestPluginHost(Words.self, now: Timestamp(seconds: 100))
    let instance = try host.operation("words.sleep", with: ["time": "1h"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 3700))
    host.clock.advance(by: .seconds(3599))
    #expect(instance.events.isEmpty)
    host.clock.advance(by: .seconds(1))
    #expect(try await instance.end() == "1970-01-01T01:01:40Z")
  }

  @Test func stoppingCancelsTheTaskAndEndsItsTimers() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.operation("words.sleep", with: ["time": "1h"])
    instance.start()
    await host.clock.hasTimers()
    instance.stop()
    await #expect(throws: PluginProblem("cancelled", "stopped at the host's request")) { try await instance.end() }
    #expect(host.clock.timers.isEmpty)
    instance.destroy()
    #expect(host.faults.isEmpty)
  }

  @Test func anInstanceThatIsDestroyedInTheMiddleTellsNothingMore() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.operation("words.sleep", with: ["time": "1h"])
    instance.start()
    await host.clock.hasTimers()
    instance.destroy()
    #expect(host.clock.timers.isEmpty)
    #expect(instance.events.isEmpty)
    host.close()
  }

  @Test func anOperationUsesTheHostsServices() async throws {
    let host = try TestPluginHost(Words.self, secrets: ["token": "s3cret"])
    host.storage = ["runs": 4, "other": true]
    let instance = try host.operation("words.services")
    instance.start(["attempt": 3, "pipeline": "nightly"])
    #expect(try await instance.end() == ["4", "s3cret", "runs"])
    #expect(instance.events.first == .progress(["fraction": 0.25, "message": "began"]))
    #expect(host.log == [TestLogLine(level: .info, message: "attempt 3", fields: ["pipeline": "nightly"])])
    #expect(host.storage["runs"] == 5)
  }

  @Test func aSecretThatTheFileDoesNotListIsDenied() async throws {
    let host = try TestPluginHost(Words.self)
    let error = await #expect(throws: PluginProblem.self) { try await host.run("words.services") }
    #expect(error?.code == "access-denied")
  }

  @Test func sleepingUntilAnInstantGoesOnWhereTheClockWasSetBack() async throws {
    let host = try TestPluginHost(Words.self, now: Timestamp(seconds: 5000))
    let instance = try host.operation("words.sleep", with: ["time": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 5010))
    host.clock.setWallClock(to: Timestamp(seconds: 4000))
    // As much time has passed as was missing, but the instant is still to come.
    host.clock.advance(by: .seconds(10))
    await host.clock.hasTimer(at: Timestamp(seconds: 5010))
    #expect(instance.events.isEmpty)
    host.clock.advance(by: .seconds(1000))
    #expect(await instance.events(1) == [.completed("1970-01-01T01:23:30Z")])
    instance.destroy()
  }
}
