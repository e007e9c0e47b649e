import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Runs that need what others hold", .timeLimit(.minutes(1))) struct MutualWaitTests {
  /// Waits until the host has completed its pending work and writes.
  private func settle(_ host: EngineTestHost) async throws {
    for _ in 0..<5 {
      _ = try await host.services.recorder.perform { _ in 0 }
      await Task(executorPreference: host.loop) {}.value
    }
  }

  private func hosting(
    _ resources: [String: Int] = [:], door: Door, _ body: (EngineTestHost, ScriptedExecutor) async throws -> Void
  ) async throws {
    let executor = ScriptedExecutor(["hold": [.hangs]], by: door)
    var capacity = HostCapacity()
    capacity.resources = resources
    let host = try EngineTestHost(executor: executor, capacity: capacity)
    try await body(host, executor)
    await host.close()
  }

  private func release(_ executor: ScriptedExecutor, _ host: EngineTestHost) async throws {
    try await executor.hangingCount.reaches(1)
    try await settle(host)
    await Task(executorPreference: host.loop) { executor.release("hold") }.value
  }

  @Test("an exclusive name is not held while its operation waits for a slot", arguments: Door.allCases)
  func slot(door: Door) async throws {
    try await hosting(door: door) { host, executor in
      let engine = try host.engine(
        """
        concurrency: 1
        operations:
          - { name: outer, pipeline: inner.yaml }
          - { name: other, exclusive: disk, run: "true" }
        """,
        nested: [
          "inner.yaml":
            "operations: [{ name: w, run: hold }, { name: y, needs: w, exclusive: disk, run: 'true' }]"
        ])
      async let run = host.run(engine)
      try await release(executor, host)
      #expect(try await run.states == ["outer succeeded", "other succeeded"])
    }
  }

  @Test("an exclusive name is not held while its operation waits for a resource", arguments: Door.allCases)
  func resource(door: Door) async throws {
    try await hosting(["gpu": 1], door: door) { host, executor in
      let engine = try host.engine(
        "{ resources: { gpu: 1 }, operations: [{ name: outer, resources: { gpu: 1 }, pipeline: inner.yaml }] }",
        nested: [
          "inner.yaml":
            "operations: [{ name: w, run: hold }, { name: y, needs: w, exclusive: disk, run: 'true' }]"
        ])
      async let first = host.run(engine)
      try await executor.hangingCount.reaches(1)
      async let second = host.run(
        "{ resources: { gpu: 1 }, operations: [{ name: a, resources: { gpu: 1 }, exclusive: disk, run: 'true' }] }")
      try await release(executor, host)
      #expect(try await first.states == ["outer succeeded"])
      #expect(try await second.states == ["a succeeded"])
    }
  }

  @Test(
    "a run within an operation that holds a resource does not wait for another resource behind those that wait for the first",
    arguments: Door.allCases)
  func kept(door: Door) async throws {
    try await hosting(["gpu": 1, "licence": 1], door: door) { host, executor in
      let engine = try host.engine(
        "{ resources: { gpu: 1 }, operations: [{ name: outer, resources: { gpu: 1 }, pipeline: inner.yaml }] }",
        nested: [
          "inner.yaml":
            "{ resources: { licence: 1 }, operations: [{ name: w, run: hold }, { name: y, needs: w, resources: { licence: 1 }, run: 'true' }] }"
        ])
      async let first = host.run(engine)
      try await executor.hangingCount.reaches(1)
      async let second = host.run(
        "{ resources: { gpu: 1, licence: 1 }, operations: [{ name: a, resources: { gpu: 1, licence: 1 }, run: 'true' }] }"
      )
      try await release(executor, host)
      #expect(try await first.states == ["outer succeeded"])
      #expect(try await second.states == ["a succeeded"])
    }
  }
}
