import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Jobs that outlive their host", .timeLimit(.minutes(1))) struct AdoptionTests {
  private let text = "operations: [{ name: a, run: x, result: json }, { name: b, command: [tool, '${{ results.a }}'] }]"

  /// Runs a pipeline until `x` hangs, and loses the host.
  private func lost(_ text: String) async throws -> (host: LostHost, id: RunID) {
    let host = try LostHost(["x": [.hangs]])
    return (host, try await host.run(text, untilHanging: 1))
  }

  @Test("are waited for if they are running") func running() async throws {
    let (host, id) = try await lost(text)
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": .hangs])
    host.pass(.seconds(60))
    let run = try await host.resume(id, executor) { _, _ in
      try await executor.hangingCount.reaches(1)
      await host.release("x", of: executor, .exited(3))
    }
    #expect(run.states == ["a failed exit", "b cancelled dependency-failed"])
    #expect(executor.started.isEmpty)
    #expect(executor.recoveries.map(\.name) == [.text("\(id.text)-0-1")])
    #expect(run.attempts.map(\.number) == [1])
    #expect(run.attempts.map(\.handle) == ["\(id.text)-0-1"])
    #expect(run.attempts.map(\.exitCode) == [3])
    let attempt = try #require(run.attempts.first)
    #expect(attempt.endedAt == attempt.startedAt.advanced(by: 60_000_000))
    await host.close()
  }

  @Test("have their results taken if they have ended", arguments: [true, false]) func ended(isKnown: Bool)
    async throws
  {
    let (host, id) = try await lost(text)
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": isKnown ? .ended(.prints("7")) : .prints("7")])
    let run = try await host.resume(id, executor)
    #expect(run.states == ["a succeeded", "b succeeded"])
    #expect(executor.commands == ["7"])
    #expect(run.attempts.map { "\($0.ordinal)-\($0.number) \($0.state)" } == ["0-1 succeeded", "1-1 succeeded"])
    #expect(run.attempts.first?.error == nil)
    await host.close()
  }

  @Test("are started if they have not begun, without counting as another attempt", arguments: [true, false])
  func notBegun(isOpen: Bool) async throws {
    let (host, id) = try await lost(text)
    if isOpen { try await host.forgetHandle(id) }
    let executor = ScriptedExecutor(["x": [.prints("1")]], keepsHandles: false)
    await host.hand(to: executor, ["x": .notBegun])
    let run = try await host.resume(id, executor)
    #expect(run.states == ["a succeeded", "b succeeded"])
    #expect(executor.recoveries.map(\.name) == [isOpen ? .open : .text("\(id.text)-0-1")])
    #expect(executor.started.map(\.id.attempt) == [1, 1])
    #expect(run.attempts.map { "\($0.ordinal)-\($0.number) \($0.state)" } == ["0-1 succeeded", "1-1 succeeded"])
    await host.close()
  }

  @Test(
    "fail with `lost` if they are unknown, and are repeated only if `on` lists that", arguments: [false, true])
  func lost(isNamed: Bool) async throws {
    let retry = isNamed ? "limit: 1, on: [lost]" : "limit: 1"
    let (host, id) = try await lost("operations: [{ name: a, run: x, retry: { \(retry) } }]")
    let executor = ScriptedExecutor(keepsHandles: false)
    let run = try await host.resume(id, executor)
    #expect(run.states == [isNamed ? "a succeeded" : "a failed lost"])
    #expect(run.attempts.map(\.error?.code) == (isNamed ? ["lost", nil] : ["lost"]))
    #expect(executor.started.map(\.id.attempt) == (isNamed ? [2] : []))
    await host.close()
  }

  @Test("prevent their run from being resumed by a host that cannot recover them", arguments: [false, true])
  func elsewhere(isNested: Bool) async throws {
    let host = try LostHost(["x": [.hangs]], named: "cluster")
    let inner = "operations: [{ name: a, run: x }]"
    let outer = "operations: [{ name: n, pipeline: inner.yaml }]"
    let id = try await host.run(
      isNested ? outer : inner, nested: isNested ? ["inner.yaml": inner] : [:], untilHanging: 1)
    let stranger = ScriptedExecutor(keepsHandles: false, name: "other")
    await #expect(throws: EngineError.jobsElsewhere(["cluster"], of: id)) { try await host.resume(id, stranger) }
    #expect(stranger.started.isEmpty && stranger.recoveries.isEmpty)
    let executor = ScriptedExecutor(keepsHandles: false, name: "cluster")
    await host.hand(to: executor, ["x": .ended(.exits(0))])
    let run = try await host.resume(id, executor)
    #expect(run.states == [isNested ? "n succeeded" : "a succeeded"])
    #expect(executor.started.isEmpty)
    await host.close()
  }

  @Test("are recovered if their start is open, and recorded before they are waited for") func open()
    async throws
  {
    let (host, id) = try await lost(text)
    try await host.forgetHandle(id)
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": .hangs])
    let run = try await host.resume(id, executor) { successor, _ in
      try await executor.hangingCount.reaches(1)
      #expect(try successor.history.attempts(of: id).map(\.handle) == ["\(id.text)-0-1"])
      await host.release("x", of: executor)
    }
    #expect(run.states.first == "a succeeded")
    #expect(executor.recoveries.map(\.name) == [.open])
    await host.close()
  }

  @Test("are recorded before their start, so that the next host recovers them") func knownBefore()
    async throws
  {
    let executor = ScriptedExecutor(exits: ["x": [1]], keepsHandles: false)
    let host = try EngineTestHost(executor: executor, isLent: true)
    nonisolated(unsafe) var known: [String] = []
    let history = host.services.history
    executor.whenStarting = { job in
      let attempts = (try? history.attempts(of: job.run)) ?? []
      known.append(attempts.map { "\($0.number) \($0.state) \($0.handle ?? "open")" }.joined(separator: ", "))
    }
    let run = try await host.run("operations: [{ name: a, run: x, retry: { limit: 1, base: 1s } }]")
    #expect(known == ["1 running open", "1 failed \(run.outcome.run.id.text)-0-1, 2 running open"])
    await host.close()
  }

  @Test("count as the attempts that they are", arguments: [0, 1]) func retries(limit: Int) async throws {
    let (host, id) = try await lost("operations: [{ name: a, run: x, retry: { limit: \(limit), base: 1s } }]")
    let executor = ScriptedExecutor(["x": [.exits(5)]], keepsHandles: false)
    await host.hand(to: executor, ["x": .exits(4)])
    let run = try await host.resume(id, executor)
    #expect(run.attempts.map(\.exitCode) == (limit == 0 ? [4] : [4, 5]))
    #expect(run.attempts.map(\.number) == Array(1...(limit + 1)))
    await host.close()
  }

  @Test("are found for each item of a loop") func items() async throws {
    let host = try LostHost(["x": [.hangs], "y": [.hangs]])
    let id = try await host.run(
      """
      concurrency: 2
      operations:
        - { name: a, for_each: { in: [x, y, z], as: it, concurrency: 2 }, command: [tool, "${{ it }}"], result: int }
      """, untilHanging: 2)
    let executor = ScriptedExecutor(["z": [.prints("3")]], keepsHandles: false)
    await host.hand(to: executor, ["x": .prints("1"), "y": .ended(.prints("2"))])
    let run = try await host.resume(id, executor)
    #expect(run.outcome.results["a"] == .array([.int(1), .int(2), .int(3)]))
    #expect(executor.commands == ["z"])
    await host.close()
  }

  @Test("do not need an open gate, which was open when they began") func gates() async throws {
    let host = try LostHost(["x": [.hangs]])
    host.create("go")
    let id = try await host.run(
      "operations: [{ name: a, run: x, run_when: file-exists(go), otherwise: skip }]", untilHanging: 1)
    try host.remove("go")
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": .exits(0)])
    #expect(try await host.resume(id, executor).states == ["a succeeded"])
    await host.close()
  }

  @Test("are stopped when their run is cancelled", arguments: [false, true]) func stops(isKilled: Bool) async throws {
    let (host, id) = try await lost("operations: [{ name: a, run: x, grace: 3s }]")
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": .hangs])
    let run = try await host.resume(id, executor) { successor, cancel in
      try await executor.hangingCount.reaches(1)
      if isKilled { successor.kill() } else { cancel() }
    }
    #expect(run.states == ["a cancelled run-cancelled"])
    #expect(executor.stops.first?.grace == (isKilled ? .zero : .seconds(3)))
    #expect(Set(executor.stops.map(\.handle.name)) == [.text("\(id.text)-0-1")])
    await host.close()
  }

  @Test("are stopped if a resumed run ends before it reaches them") func orphans() async throws {
    let (host, id) = try await lost("operations: [{ name: a, run: x, grace: 3s }]")
    let executor = ScriptedExecutor(keepsHandles: false)
    await host.hand(to: executor, ["x": .hangs])
    let run = try await host.resume(id, executor) { _, cancel in cancel() }
    #expect(run.states == ["a cancelled run-cancelled"])
    #expect(executor.stops.map(\.handle.name) == [.text("\(id.text)-0-1")])
    await host.close()
  }

  @Test("continue if their host has lost its run to another") func taken() async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], keepsHandles: false)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let engine = try host.engine("operations: [{ name: a, run: x }]")
    let run = Task { try await host.run(engine) }
    try await executor.hangingCount.reaches(1)
    await engine.lose(engine.id)
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    await #expect(throws: EngineError.self) { try await run.value }
    #expect(executor.stops.isEmpty)
    await host.close()
  }
}
