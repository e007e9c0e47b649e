import Operations
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("Limits of a host") struct HostLimitsTests {
  private func capacity(processes: Int? = nil, _ resources: [String: Int] = [:]) -> HostCapacity {
    var capacity = HostCapacity()
    capacity.processes = processes
    capacity.resources = resources
    return capacity
  }

  @Test("do not exist if nothing is limited") func none() {
    #expect(HostLimits.of(HostCapacity()) == nil)
    #expect(HostLimits.of(capacity(processes: 1)) != nil)
  }

  @Test("are taken together with those of the run in one step, or not at all") func oneStep() {
    let host = HostLimits(capacity(["gpu": 2]))
    let (first, second) = (
      RunLimits(slots: 1, resources: [2], names: ["GPU"], host: host),
      RunLimits(slots: 2, resources: [2], names: ["gpu"], host: host)
    )
    #expect(first.take(.init(slots: 1, resources: [(0, 1)])))
    // The run has no slot left, so nothing is taken from the host either.
    #expect(!first.take(.init(slots: 1, resources: [(0, 1)])))
    #expect(second.take(.init(slots: 1, resources: [(0, 1)])))
    // The host has nothing left, so nothing is taken from the run either.
    #expect(!second.take(.init(slots: 1, resources: [(0, 1)])))
    #expect(second.freeSlots == 1)
    #expect(host.waitingRuns == 1)
  }

  @Test("go to the run that has waited longest, and each release serves one run") func line() {
    let host = HostLimits(capacity(processes: 1))
    let order = Mutex<[String]>([])
    let runs = ["a", "b", "c"].map { name in
      let run = RunLimits(slots: 4, resources: [], host: host)
      run.onWithdrawal = { order.withLock { $0.append(name) } }
      return run
    }
    let slot = RunLimits.Demand(slots: 1, resources: [])
    #expect(runs[0].take(slot))
    #expect(!runs[2].take(slot) && !runs[1].take(slot) && !runs[2].take(slot))
    runs[0].release(slot)
    #expect(order.withLock { $0 } == ["c"])
    // What is granted is reserved for the run that it was granted to.
    #expect(!runs[0].take(slot))
    #expect(runs[2].take(slot))
    runs[2].release(slot)
    // What a run does not need after all goes to the next.
    #expect(order.withLock { $0 } == ["c", "b"])
    runs[1].returnGrant()
    #expect(order.withLock { $0 } == ["c", "b", "a"])
    runs[0].close()
    #expect(host.waitingRuns == 0)
    #expect(runs[1].take(slot))
  }

  @Test(
    "suffice for an operation that needs all of them, after a wait for another run", .timeLimit(.minutes(1)),
    arguments: Door.allCases)
  func allOfThem(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(processes: 1, ["licence": 1]))
    async let first = host.run("operations: [{ name: a, run: x }]")
    try await executor.hangingCount.reaches(1)
    async let second = host.run(
      "{ resources: { licence: 1 }, operations: [{ name: b, run: y, resources: { licence: 1 } }, { name: c, run: z }] }"
    )
    while await host.waitingRuns != 1 { try await Task.sleep(for: .milliseconds(1)) }
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    #expect(try await first.states == ["a succeeded"])
    #expect(try await second.states == ["b succeeded", "c succeeded"])
    await host.close()
  }

  @Test("do not delay runs that need nothing of what is missing") func others() {
    let host = HostLimits(capacity(processes: 4, ["licence": 1, "gpu": 1]))
    func run() -> RunLimits { RunLimits(slots: 4, resources: [1, 1], names: ["licence", "gpu"], host: host) }
    let (holder, waiting, plain, third) = (run(), run(), run(), run())
    let licensed = RunLimits.Demand(slots: 1, resources: [(0, 1)])
    let slot = RunLimits.Demand(slots: 1, resources: [])
    #expect(holder.take(licensed))
    #expect(!waiting.take(licensed))
    #expect(plain.take(slot), "it needs no licence")
    #expect(!third.take(licensed), "somebody waits for the licence before it")
    #expect(third.take(.init(slots: 1, resources: [(1, 1)])), "nobody waits for the gpu")
    #expect(host.waitingRuns == 1)
  }

  @Test(
    "go to runs that need nothing of what is missing, and then to the first that lacks several of them",
    .timeLimit(.minutes(1)), arguments: Door.allCases)
  func several(door: Door) async throws {
    let fates: [String: [ScriptedExecutor.Fate]] = ["hold": [.hangs], "work": [.hangs], "plain": [.hangs]]
    let executor = ScriptedExecutor(fates, by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(processes: 2, ["licence": 1]))
    func text(_ command: String, licence: Bool) -> String {
      "{ resources: { licence: 1 }, operations: [{ name: a, run: \(command)\(licence ? ", resources: { licence: 1 }" : "") }] }"
    }
    func run(_ command: String, licence: Bool = false) async throws -> [String] {
      try await host.run(text(command, licence: licence)).states
    }
    async let first = run("hold", licence: true)
    async let second = run("work")
    try await executor.hangingCount.reaches(2)
    async let third = run("both", licence: true)
    while await host.waitingRuns != 1 { try await Task.sleep(for: .milliseconds(1)) }
    async let fourth = run("plain")
    while await host.waitingRuns != 2 { try await Task.sleep(for: .milliseconds(1)) }
    // The third one lacks the licence, not the process that becomes free.
    await Task(executorPreference: host.loop) { executor.release("work") }.value
    while !executor.commands.contains("plain") { try await Task.sleep(for: .milliseconds(1)) }
    try await executor.hangingCount.reaches(2)
    #expect(executor.commands.count == 3)
    async let fifth = run("last")
    while await host.waitingRuns != 2 { try await Task.sleep(for: .milliseconds(1)) }
    await Task(executorPreference: host.loop) { executor.release("hold") }.value
    #expect(try await [first, second, third, fifth] == Array(repeating: ["a succeeded"], count: 4))
    #expect(executor.commands.suffix(3) == ["plain", "both", "last"])
    await Task(executorPreference: host.loop) { executor.release("plain") }.value
    #expect(try await fourth == ["a succeeded"])
    await host.close()
  }

  @Test("are not overtaken, and go to the next waiting run if the first leaves") func leaving() {
    let host = HostLimits(capacity(["gpu": 3]))
    let order = Mutex<[String]>([])
    let runs = ["a", "b", "c"].map { name in
      let run = RunLimits(slots: 4, resources: [3], names: ["gpu"], host: host)
      run.onWithdrawal = { order.withLock { $0.append(name) } }
      return run
    }
    func take(_ run: Int, _ amount: Int) -> Bool { runs[run].take(.init(slots: 1, resources: [(0, amount)])) }
    #expect(take(0, 2))
    #expect(!take(1, 2))
    #expect(!take(2, 1), "it would fit, but somebody stands before it")
    #expect(host.waitingRuns == 2)
    runs[1].close()
    #expect(order.withLock { $0 } == ["c"])
    #expect(take(2, 1))
    #expect(host.waitingRuns == 0)
  }

  @Test(
    "stay with the first waiting run if what is free is not enough for it", .timeLimit(.minutes(1)),
    arguments: Door.allCases)
  func staysFirst(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs], "y": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(["gpu": 2]))
    let (waiting, ended) = (AwaitedCount(), AwaitedCount())
    func engine(_ operations: String) throws -> RunEngine {
      try host.engine("{ concurrency: 2, resources: { gpu: 2 }, operations: [\(operations)] }") { event in
        guard case .operation(let operation) = event else { return }
        if operation.state == .waiting { waiting.add(1) }
        if operation.state == .succeeded { ended.add(1) }
      }
    }
    let engines = [
      try engine("{ name: a, run: x, resources: { gpu: 1 } }, { name: b, run: y, resources: { gpu: 1 } }"),
      try engine("{ name: c, run: large, resources: { gpu: 2 } }"),
      try engine("{ name: d, run: small, resources: { gpu: 1 } }"),
    ]
    async let first = host.run(engines[0])
    try await executor.hangingCount.reaches(2)
    async let second = host.run(engines[1])
    try await waiting.reaches(1)
    async let third = host.run(engines[2])
    try await waiting.reaches(2)
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    try await ended.reaches(1)
    await Task(executorPreference: host.loop) { executor.release("y") }.value
    for run in try await [first, second, third] { #expect(run.outcome.run.state == .succeeded) }
    #expect(executor.commands == ["x", "y", "large", "small"])
    await host.close()
  }

  @Test(
    "are not waited for by a cancelled run that is still running", .timeLimit(.minutes(1)),
    arguments: Door.allCases)
  func cancelledInLine(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(processes: 1))
    let asked = AwaitedCount()
    async let first = host.run("operations: [{ name: a, run: x }]")
    try await executor.hangingCount.reaches(1)
    let engine = try host.engine(
      "operations: [{ name: b, run: y }, { name: c, when: always(), approve: 'C?' }]"
    ) { event in if case .approval = event { asked.add(1) } }
    async let second = host.run(engine)
    try await asked.reaches(1)
    await engine.cancel(.requested)
    while await host.waitingRuns != 0 { try await Task.sleep(for: .milliseconds(1)) }
    async let third = host.run("operations: [{ name: d, run: z }]")
    while await host.waitingRuns != 1 { try await Task.sleep(for: .milliseconds(1)) }
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    #expect(try await first.states == ["a succeeded"])
    #expect(try await third.states == ["d succeeded"])
    _ = try host.services.history.answerApproval(engine.id, operation: "c", approved: true, note: nil, who: "ann")
    #expect(try await second.states == ["b cancelled run-cancelled", "c succeeded"])
    await host.close()
  }

  @Test(
    "are returned by what was cancelled between its grant and its beginning, or right after that",
    .timeLimit(.minutes(1)), arguments: Door.allCases)
  func cancelledBeforeBeginning(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(processes: 1))
    let cancelled = Mutex<RunEngine?>(nil)
    let engine = try host.engine(
      "{ concurrency: 2, operations: [{ name: a, run: x }, { name: b, run: y, retry: { limit: 1 } }] }"
    ) { event in
      guard case .attempt(let attempt) = event, attempt.ordinal == 0, attempt.state.isFinal else { return }
      cancelled.withLock { $0 }?.assumeIsolated { $0.cancel(.requested) }
    }
    cancelled.withLock { $0 = engine }
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(1)
    while await host.waitingRuns != 1 { try await Task.sleep(for: .milliseconds(1)) }
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    #expect(try await run.states == ["a succeeded", "b cancelled run-cancelled"])
    cancelled.withLock { $0 = nil }
    #expect(try await host.run("operations: [{ name: c, run: z }]").states == ["c succeeded"])
    // By the fast path, the end of a process passes its slot to the next operation, which has begun when the attempt ends.
    #expect(executor.commands == (door == .fast ? ["x", "y", "z"] : ["x", "z"]))
    await host.close()
  }

  @Test("limit the active operations of all runs, and nothing waits indefinitely", arguments: Door.allCases) func runs(
    door: Door
  )
    async throws
  {
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor, capacity: capacity(processes: 2))
    let text = """
      concurrency: 3
      operations:
        - { name: all, for_each: { in: [1, 2, 3, 4, 5, 6], concurrency: 6 }, run: "true" }
        - { name: more, run: "true" }
      """
    let states = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<6 { group.addTask { try await host.run(text).states } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(states.count == 48 && states.allSatisfy { $0.hasSuffix(" succeeded") })
    #expect(executor.mostAtOnce == 2)
    #expect(host.services.shared.limits?.waitingRuns == 0)
    await host.close()
  }

  @Test(
    "let every operation begin eventually, whatever runs request", .timeLimit(.minutes(2)),
    arguments: Door.allCases, [1, 2, 3])
  func anything(door: Door, processes: Int) async throws {
    for seed in 0..<12 {
      var random = OperationRandom(seed: UInt64(seed * 8 + processes))
      var fates: [String: [ScriptedExecutor.Fate]] = [:]
      let texts = (0..<6).map { run in
        let operations = (0..<Int.random(in: 1...6, using: &random)).map { number in
          let command = "c\(run)-\(number)"
          if Bool.random(using: &random) { fates[command] = [.exits(1), .exits(0)] }
          var keys = ["name: o\(number)", "run: \(command)", "retry: { limit: 1, base: 1ms }"]
          let resources = ["gpu", "licence"].filter { _ in Bool.random(using: &random) }
            .map { "\($0): \(Int.random(in: 1...2, using: &random))" }
          if !resources.isEmpty { keys.append("resources: { \(resources.joined(separator: ", ")) }") }
          if number > 0, Bool.random(using: &random) {
            keys.append("needs: o\(Int.random(in: 0..<number, using: &random))")
          }
          if Int.random(in: 0..<4, using: &random) == 0 { keys.append("for_each: { in: [1, 2, 3], concurrency: 2 }") }
          return "{ \(keys.joined(separator: ", ")) }"
        }
        return """
          { concurrency: \(Int.random(in: 1...3, using: &random)), resources: { gpu: 2, licence: 2 }, operations: [\(operations.joined(separator: ", "))] }
          """
      }
      let executor = ScriptedExecutor(fates, by: door)
      let host = try EngineTestHost(
        executor: executor, capacity: capacity(processes: processes, ["gpu": 2, "licence": 3]), isLent: true)
      let states = try await withThrowingTaskGroup(of: [String].self) { group in
        for text in texts { group.addTask { try await host.run(text).states } }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(
        states.allSatisfy { $0.contains(" succeeded") }, "seed \(seed): \(states)\n\(texts.joined(separator: "\n"))")
      #expect(executor.mostAtOnce <= processes, "seed \(seed)")
      #expect(host.services.shared.limits?.waitingRuns == 0, "seed \(seed)")
      await host.close()
    }
  }

  @Test("reject what the host will never have", arguments: Door.allCases) func never(door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(by: door), capacity: capacity(["gpu": 1]))
    let run = try await host.run(
      "{ resources: { gpu: 4 }, operations: [{ name: a, resources: { gpu: 2 }, run: 'true' }, { name: b, run: 'true' }] }"
    )
    #expect(run.states == ["a failed capacity-exceeded", "b succeeded"])
    await host.close()
  }
}

extension EngineTestHost {
  /// The number of runs that wait for what the host limits.
  fileprivate var waitingRuns: Int? {
    get async { await Task(executorPreference: loop) { services.shared.limits?.waitingRuns }.value }
  }
}
