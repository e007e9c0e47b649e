import PluginKit
import PluginKitTesting
import Testing

// Serialized: the tests share one station.
@Suite(.serialized) struct DocumentedPluginTests {
  @Test func theDocumentedOperationReports() async throws {
    let host = try TestPluginHost(WeatherPlugin.self)
    let result = try await host.run("weather.report", with: ["place": "Ulm", "unit": "fahrenheit"])
    #expect(result == ["place": "Ulm", "degrees": 70.7, "at": "2001-09-09T01:46:40Z"])
    let error = await #expect(throws: PluginProblem.self) {
      try await host.run("weather.report", with: ["place": "nowhere"])
    }
    #expect(error?.code == "no-station")
    #expect(error?.retryAfter == .seconds(60))
  }

  @Test func theDocumentedRequirementIsUsed() async throws {
    let host = try TestPluginHost(WeatherPlugin.self)
    #expect(try await host.run("weather.average", requirement: [1, 2.5]) == 1.75)
  }

  @Test func theDocumentedControllerRunsAtFullHours() async throws {
    let host = try TestPluginHost(WeatherPlugin.self, now: Timestamp(seconds: 3000))
    let instance = try host.controller("weather.hourly")
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 3600))
    host.clock.advance(by: .seconds(600))
    await host.clock.hasTimer(at: Timestamp(seconds: 7200))
    #expect(
      instance.events == [.rerun(["reason": "it is 1970-01-01T01:00:00Z", "instant": "1970-01-01T01:00:00Z"])])
    instance.destroy()
  }

  @Test func theDocumentedSpecificationFollowsTheStation() throws {
    let host = try TestPluginHost(WeatherPlugin.self)
    let instance = try host.specification("weather.warm", with: ["from": 18])
    instance.start()
    Station.shared.degrees = 18.5
    Station.shared.degrees = 15
    #expect(
      instance.events == [
        .changed(false, reason: "it has 15.0 degrees"), .changed(true, reason: "it has 18.5 degrees"),
        .changed(false, reason: "it has 15.0 degrees"),
      ])
    instance.destroy()
  }
}
