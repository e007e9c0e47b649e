import Foundation
import Testing

@testable import PipelineEngine

@Suite("Runs that share a host", .timeLimit(.minutes(5))) struct ManyRunsTests {
  @Test("are killed without affecting the processes of the others") func kill() async throws {
    let host = try EngineTestHost()
    let (killed, other) = (
      try host.engine("operations: [{ name: a, run: 'touch \(host.directory)/a; sleep 600' }]"),
      try host.engine(
        "operations: [{ name: b, run: 'touch \(host.directory)/b; until [ -e \(host.directory)/end ]; do sleep 0.01; done' }]"
      )
    )
    async let first = host.run(killed)
    async let second = host.run(other)
    for name in ["a", "b"] { while !host.exists(name) { try await Task.sleep(for: .milliseconds(5)) } }
    await killed.kill()
    #expect(try await first.states == ["a cancelled run-cancelled"])
    host.create("end")
    #expect(try await second.states == ["b succeeded"])
    await host.close()
  }

  @Test("are killed with the commands of their secrets") func killSecrets() async throws {
    let host = try EngineTestHost()
    let script = "trap '' TERM; touch \(host.directory)/s; while :; do sleep 0.01; done"
    let killed = try host.engine(
      """
      secrets: { s: { command: [sh, -c, "\(script)"] } }
      operations: [{ name: a, run: "true" }]
      """)
    async let run = host.run(killed)
    while !host.exists("s") { try await Task.sleep(for: .milliseconds(5)) }
    let start = ContinuousClock.now
    await killed.kill()
    #expect(try await run.states == ["a cancelled run-not-started"])
    // Without the kill, SIGKILL would follow ten seconds after SIGTERM.
    #expect(start.duration(to: .now) < .seconds(8))
    await host.close()
  }

  @Test("are killed with the processes of their nested runs") func killNested() async throws {
    let host = try EngineTestHost()
    try "operations: [{ name: b, run: 'touch \(host.directory)/b; sleep 600' }]".write(
      toFile: host.directory + "/nested.yaml", atomically: true, encoding: .utf8)
    let killed = try host.engine("operations: [{ name: a, pipeline: nested.yaml }]")
    async let run = host.run(killed)
    while !host.exists("b") { try await Task.sleep(for: .milliseconds(5)) }
    await killed.kill()
    #expect(try await run.states == ["a cancelled run-cancelled"])
    await host.close()
  }
}
