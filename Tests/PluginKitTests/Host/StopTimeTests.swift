import PluginKit
import PluginKitTesting
import Testing

/// A plugin whose instances report, when they are asked to end, how much time they have.
private enum Farewells: Plugin {
  static let id = "farewells"
  static let version = "1.0.0"
  static let summary = "Says how long there is to end"
  static let offers: [Offer] = [
    .operation("farewells.work", "Works until it is stopped", Work()),
    .controller("farewells.control", "Goes on", Control()),
  ]

  struct Work: OperationRequest {
    func run(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<String, any Error>
    ) async throws -> String {
      let before = context.pluginTimeToStop
      try? await context.pluginClock.delay(for: .seconds(1000))
      return
        "\(before.map(DurationNotation.format) ?? "none"), \(context.pluginTimeToStop.map(DurationNotation.format) ?? "none")"
    }
  }

  struct Control: OperationController {
    typealias State = PluginState<String>

    func control(with controls: PluginControls<String>) -> OperationSubscription {
      OperationSubscription {
        controls.context.pluginLog.info(controls.context.pluginTimeToStop.map(DurationNotation.format) ?? "none")
      }
    }
  }
}

@Suite struct StopTimeTests {
  @Test func anOperationThatIsStoppedIsToldHowLongTheHostWaits() async throws {
    let host = try TestPluginHost(Farewells.self)
    let instance = try host.operation("farewells.work")
    instance.start()
    await host.clock.hasTimers()
    instance.stop(within: .seconds(7))
    #expect(try await instance.end() == "none, 7s")
    #expect(host.faults.isEmpty)
  }

  @Test func aControllerIsToldToo() async throws {
    let host = try TestPluginHost(Farewells.self)
    let instance = try host.controller("farewells.control")
    instance.start()
    instance.stop(within: .milliseconds(1500))
    #expect(host.log.map(\.message) == ["1.5s"])
    #expect(host.faults.isEmpty)
  }
}

@Suite struct PluginInputTests {
  @Test(
    arguments: [
      (["directory": "/srv/files"], "in", "/srv/files/in"), (["directory": "/"], "in", "/in"),
      (["directory": "/srv"], "/etc/in", "/etc/in"), ([:], "in", "in"), (["directory": "not/absolute"], "in", "in"),
    ] as [(JSONValue, String, String)])
  func relativePathsStartFromTheDirectoryOfThePipeline(input: JSONValue, setting: String, expected: String) {
    #expect(PluginInput(input).path(setting) == expected)
  }
}
