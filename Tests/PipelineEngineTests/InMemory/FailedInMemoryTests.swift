import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: runs that fail because their host is gone", .timeLimit(.minutes(1))) struct FailedInMemoryTests {
  @Test("have the jobs stopped first that have outlived it")
  func jobs() async throws {
    let lost = try LostHost(["x": [.hangs]])
    let id = try await lost.run("operations: [{ name: a, run: x }]", untilHanging: 1)
    let executor = ScriptedExecutor()
    await lost.hand(to: executor, ["x": .hangs])
    let run = try await lost.fail(id, executor)
    #expect((run?.state, run?.reason) == (.failed, "host-died"))
    #expect(executor.stops.map(\.grace) == [.zero])
    #expect(executor.started.isEmpty)
    await lost.close()
  }

  @Test("stay interrupted where jobs are at an executor that this host does not have")
  func elsewhere() async throws {
    let lost = try LostHost(["x": [.hangs]], named: "cluster")
    let id = try await lost.run("operations: [{ name: a, run: x }]", untilHanging: 1)
    await #expect(throws: EngineError.self) { _ = try await lost.fail(id, ScriptedExecutor()) }
    await lost.close()
  }
}
