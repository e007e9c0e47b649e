import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: runs that fail because their host no longer exists", .timeLimit(.minutes(1)))
struct FailedInMemoryTests {
  @Test("have jobs that outlived it stopped first")
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

  @Test("stay interrupted if jobs are at an executor that this host does not have")
  func elsewhere() async throws {
    let lost = try LostHost(["x": [.hangs]], named: "cluster")
    let id = try await lost.run("operations: [{ name: a, run: x }]", untilHanging: 1)
    await #expect(throws: EngineError.self) { _ = try await lost.fail(id, ScriptedExecutor()) }
    await lost.close()
  }
}
