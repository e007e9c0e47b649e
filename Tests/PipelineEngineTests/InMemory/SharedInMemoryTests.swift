import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: concurrent runs", .timeLimit(.minutes(1))) struct SharedInMemoryTests {
  /// Begins the second run once jobs of the first hang, lets these continue once the second waits or has ended, and returns both.
  private func two(
    _ host: EngineTestHost, _ executor: ScriptedExecutor, _ text: String, _ other: String, isWaiting: Bool
  ) async throws -> [FinishedRun] {
    let (waits, wait) = AsyncStream<Void>.makeStream()
    async let first = host.run(host.engine(text))
    try await executor.hangingCount.reaches(1)
    let engine = try host.engine(other) { event in
      switch event {
      case .notice: wait.yield()
      case .operation(let operation) where operation.state == .waiting: wait.yield()
      default: break
      }
    }
    async let second = host.run(engine)
    if isWaiting { for await _ in waits { break } } else { _ = try await second }
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    let runs = try await [first, second]
    await host.close()
    return runs
  }

  private func host(_ executor: ScriptedExecutor, _ capacity: HostCapacity = HostCapacity()) throws -> EngineTestHost {
    try EngineTestHost(executor: executor, capacity: capacity, isLent: true)
  }

  @Test("an exclusive name holds across runs", arguments: Door.allCases) func exclusive(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let runs = try await two(
      host(executor), executor, "operations: [{ name: a, run: x, exclusive: disk }]",
      "operations: [{ name: b, run: y, exclusive: disk }]", isWaiting: true)
    #expect(runs.map(\.states) == [["a succeeded"], ["b succeeded"]])
    #expect(executor.mostAtOnce == 1)
  }

  @Test("a different exclusive name is not waited for", arguments: Door.allCases) func others(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let runs = try await two(
      host(executor), executor, "operations: [{ name: a, run: x, exclusive: disk }]",
      "operations: [{ name: b, run: y, exclusive: tape }]", isWaiting: false)
    #expect(runs.map(\.states) == [["a succeeded"], ["b succeeded"]])
    #expect(executor.mostAtOnce == 2)
  }

  @Test("the processes of a host are limited over all of its runs", arguments: [1, 2], Door.allCases) func processes(
    most: Int, door: Door
  )
    async throws
  {
    let executor = ScriptedExecutor(by: door)
    var capacity = HostCapacity()
    capacity.processes = most
    let host = try host(executor, capacity)
    let text = "{ concurrency: 3, operations: [{ name: a, run: x }, { name: b, run: y }, { name: c, run: z }] }"
    async let first = host.run(text)
    async let second = host.run(text)
    for run in try await [first, second] { #expect(run.outcome.run.state == .succeeded) }
    #expect(executor.mostAtOnce == most)
    #expect(host.services.shared.limits?.waitingRuns == 0)
    await host.close()
  }

  @Test("jobs on another computer do not count against the host's limit") func elsewhere() async throws {
    let executor = ScriptedExecutor(["x": [.hangs], "y": [.hangs]], usesThisMachine: false)
    var capacity = HostCapacity()
    capacity.processes = 1
    let host = try host(executor, capacity)
    async let run = host.run("{ concurrency: 2, operations: [{ name: a, run: x }, { name: b, run: y }] }")
    try await executor.hangingCount.reaches(2)
    await Task(executorPreference: host.loop) {
      executor.release("x")
      executor.release("y")
    }.value
    #expect(try await run.states == ["a succeeded", "b succeeded"])
    await host.close()
  }

  @Test(
    "a nested pipeline does not count against the host's limit, but its operations do", arguments: [1, 2], Door.allCases
  )
  func nested(
    most: Int, door: Door
  )
    async throws
  {
    let executor = ScriptedExecutor(by: door)
    var capacity = HostCapacity()
    capacity.processes = most
    let host = try host(executor, capacity)
    let text =
      "{ concurrency: 3, operations: [{ name: a, pipeline: i.yaml }, { name: b, pipeline: i.yaml }, { name: c, run: z }] }"
    let files = ["i.yaml": "operations: [{ name: i, run: x }, { name: j, run: y }]"]
    async let first = host.run(host.engine(text, nested: files))
    async let second = host.run(host.engine(text, nested: files))
    for run in try await [first, second] { #expect(run.states == ["a succeeded", "b succeeded", "c succeeded"]) }
    #expect(executor.mostAtOnce == most)
    #expect(host.services.shared.limits?.waitingRuns == 0)
    await host.close()
  }

  @Test("a resource that only the host limits is counted over all of its runs", arguments: Door.allCases)
  func resources(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    var capacity = HostCapacity()
    capacity.resources = ["gpu": 1]
    let text = "{ resources: { gpu: 1 }, operations: [{ name: a, run: JOB, resources: { gpu: 1 } }] }"
    let runs = try await two(
      host(executor, capacity), executor, text.replacing("JOB", with: "x"), text.replacing("JOB", with: "y"),
      isWaiting: true)
    #expect(runs.map(\.states) == [["a succeeded"], ["a succeeded"]])
    #expect(executor.mostAtOnce == 1)
  }

  @Test("runs of one pipeline overlap as specified", arguments: ["allow", "queue", "skip", "cancel"], Door.allCases)
  func overlaps(overlap: String, door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let text = "{ name: over-\(overlap), overlap: \(overlap), operations: [{ name: a, run: JOB }] }"
    let runs = try await two(
      host(executor), executor, text.replacing("JOB", with: "x"), text.replacing("JOB", with: "y"),
      isWaiting: overlap == "queue")
    let cancelled = ["a cancelled run-cancelled"]
    #expect(runs[0].states == (overlap == "cancel" ? cancelled : ["a succeeded"]))
    #expect(runs[1].states == (overlap == "skip" ? ["a cancelled run-not-started"] : ["a succeeded"]))
    #expect(executor.commands == (overlap == "skip" ? ["x"] : ["x", "y"]))
    #expect(executor.mostAtOnce == (overlap == "allow" ? 2 : 1))
  }

  @Test("cancelling one does not affect the other", arguments: [false, true], Door.allCases) func apart(
    isKilled: Bool, door: Door
  )
    async throws
  {
    let executor = ScriptedExecutor(["x": [.hangs], "y": [.hangs]], by: door)
    let host = try host(executor)
    let engine = try host.engine("operations: [{ name: a, run: x }]")
    async let first = host.run(engine)
    async let second = host.run("operations: [{ name: b, run: y }]")
    try await executor.hangingCount.reaches(2)
    if isKilled { await engine.kill() } else { await engine.cancel(.requested) }
    #expect(try await first.states == ["a cancelled run-cancelled"])
    await Task(executorPreference: host.loop) { executor.release("y") }.value
    #expect(try await second.states == ["b succeeded"])
    #expect(Set(executor.stops.map(\.handle.job.run)) == [engine.id])
    await host.close()
  }
}
