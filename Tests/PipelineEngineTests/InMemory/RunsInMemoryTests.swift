import Glibc
import Synchronization
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("In memory: runs", .timeLimit(.minutes(1))) struct RunsInMemoryTests {
  /// Runs a pipeline, and cancels or kills it once this many jobs hang.
  private func cut(
    by door: Door, _ text: String, _ fates: [String: [ScriptedExecutor.Fate]], hanging: Int = 1, isKilled: Bool = false
  ) async throws -> (run: FinishedRun, executor: ScriptedExecutor) {
    let executor = ScriptedExecutor(fates, by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let engine = try host.engine(text)
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(hanging)
    if isKilled { await engine.kill() } else { await engine.cancel(.requested) }
    let finished = try await run
    #expect(executor.readyCount == 0)
    await host.close()
    return (finished, executor)
  }

  @Test(
    "a cancellation ends what is running, and what has not begun never does", arguments: [false, true], Door.allCases)
  func cancels(isKilled: Bool, door: Door) async throws {
    let (run, executor) = try await cut(
      by: door, "operations: [{ name: a, run: x }, { name: b, needs: a, run: b }]", ["x": [.hangs]], isKilled: isKilled)
    #expect(run.states == ["a cancelled run-cancelled", "b cancelled run-cancelled"])
    #expect(run.outcome.run.state == .cancelled)
    #expect(executor.commands == ["x"])
    #expect(run.attempts.map(\.state) == [.cancelled])
  }

  @Test("a cancellation ends the running items of a loop", arguments: [1, 2, 3], Door.allCases)
  func cancelsItems(most: Int, door: Door) async throws {
    let (run, executor) = try await cut(
      by: door,
      "{ concurrency: 4, operations: [{ name: a, for_each: { in: [1, 2, 3], concurrency: \(most) }, run: x }] }",
      ["x": [.hangs, .hangs, .hangs]], hanging: most)
    #expect(run.states.first == "a cancelled run-cancelled")
    #expect(executor.started.count == most)
    #expect(run.outcome.run.state == .cancelled)
  }

  @Test("what was prepared for a job that never starts is released", arguments: [false, true])
  func discards(isKilled: Bool) async throws {
    let (run, executor) = try await cut(
      by: .fast,
      """
      concurrency: 1
      operations: [{ name: a, run: x }, { name: b, run: b }, { name: c, run: c }, { name: d, run: d }]
      """, ["x": [.hangs]], isKilled: isKilled)
    #expect(run.operations.allSatisfy { $0.state == .cancelled })
    #expect(executor.commands == ["x"])
    #expect(executor.discardedCount == 2)
  }

  @Test("handlers run after a cancellation, and none after a kill", arguments: [false, true], Door.allCases)
  func handlers(isKilled: Bool, door: Door) async throws {
    let (_, executor) = try await cut(
      by: door,
      """
      operations: [{ name: a, run: x }]
      after: { cancel: [{ name: c, run: c }], always: [{ name: l, run: l }], failure: [{ name: f, run: f }] }
      """, ["x": [.hangs]], isKilled: isKilled)
    #expect(executor.commands == (isKilled ? ["x"] : ["x", "c", "l"]))
  }

  @Test(
    "a clean-up whose condition allows it runs in a cancelled run", arguments: ["always()", "cancelled()"],
    Door.allCases)
  func cleansUp(condition: String, door: Door) async throws {
    let (run, executor) = try await cut(
      by: door, "operations: [{ name: a, run: x }, { name: b, needs: a, when: \(condition), run: b }]", ["x": [.hangs]])
    #expect(run.states == ["a cancelled run-cancelled", "b succeeded"])
    #expect(executor.commands == ["x", "b"])
  }

  @Test(
    "conditions that let operations continue in a cancelled run may read files, off the event loop",
    arguments: Door.allCases)
  func goesOnByFiles(door: Door) async throws {
    let executor = ScriptedExecutor(["kept": [.hangs], "ended": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let (ends, tell) = AsyncStream<AttemptRecord>.makeStream()
    let gone = "hashFiles('gone') == ''"
    let engine = try host.engine(
      """
      operations:
        - { name: kept, when: "always() && \(gone)", run: kept }
        - { name: ended, when: "success() || (failure() || cancelled()) && !(\(gone))", run: ended }
      """
    ) { event in if case .attempt(let attempt) = event, attempt.state != .running { tell.yield(attempt) } }
    async let running = host.run(engine)
    try await executor.hangingCount.reaches(2)
    await engine.cancel(.requested)
    for await attempt in ends {
      #expect(attempt.ordinal == 1)
      await Task(executorPreference: host.loop) { executor.release("kept") }.value
      break
    }
    let run = try await running
    #expect(run.states == ["kept succeeded", "ended cancelled run-cancelled"])
    #expect(run.outcome.run.state == .cancelled)
    await host.close()
  }

  @Test(
    "what continues in a cancelled run ends when the run times out, or when nothing can be recorded any more",
    arguments: [RunCancellation.timeout, .history, .engine], [false, true])
  func outlasts(second: RunCancellation, isNested: Bool) async throws {
    let executor = ScriptedExecutor(["kept": [.hangs]])
    let host = try EngineTestHost(executor: executor, isLent: true)
    let kept = "operations: [{ name: kept, when: always(), run: kept }, { name: next, needs: kept, run: next }]"
    let outer = "operations: [{ name: outer, when: always(), pipeline: inner.yaml }]"
    let engine = try host.engine(isNested ? outer : kept, nested: isNested ? ["inner.yaml": kept] : [:])
    let running = Task { try await host.run(engine) }
    try await executor.hangingCount.reaches(1)
    await engine.cancel(.requested)
    #expect(executor.stops.isEmpty)
    await engine.cancelAgain(second)
    if second == .timeout {
      #expect(try await running.value.outcome.run.state == .cancelled)
    } else {
      await #expect(throws: (any Error).self) { try await running.value }
    }
    #expect(executor.stops.count == 1)
    #expect(executor.commands == ["kept"])
    await host.close()
  }

  @Test("a kill does not wait for a condition that is being evaluated") func killsAsked() async throws {
    let executor = ScriptedExecutor(["x": [.hangs]])
    let host = try EngineTestHost(executor: executor)
    let engine = try host.engine(
      "operations: [{ name: a, run: x, when: \"always() && (!cancelled() || hashFiles('endless') != '')\" }]")
    async let running = host.run(engine)
    try await executor.hangingCount.reaches(1)
    // More than can be read while the test runs.
    let endless = open(host.directory + "/endless", O_CREAT | O_WRONLY, 0o600)
    ftruncate(endless, 1 << 40)
    close(endless)
    await engine.cancel(.requested)
    #expect(await engine.isAskingAnything)
    await engine.kill()
    #expect(try await running.states == ["a cancelled run-cancelled"])
    await engine.untilNothingIsAsked()
    await host.close()
  }

  @Test("no attempt begins while it is evaluated whether the operation continues in a cancelled run")
  func beginsNothing()
    async throws
  {
    let executor = ScriptedExecutor(exits: ["x": [1, 0]])
    let host = try EngineTestHost(executor: executor, isLent: true)
    let cancelled = Mutex<RunEngine?>(nil)
    let engine = try host.engine(
      """
      operations:
        - name: a
          run: x
          when: "success() || cancelled() && hashFiles('gone') != ''"
          retry: { limit: 1, base: 1ms }
      """
    ) { event in
      // The first attempt has ended, and the next one is about to begin.
      guard case .attempt(let attempt) = event, attempt.state == .failed else { return }
      cancelled.withLock { $0 }?.assumeIsolated { $0.cancel(.requested) }
    }
    cancelled.withLock { $0 = engine }
    let run = try await host.run(engine)
    #expect(run.states == ["a cancelled run-cancelled"])
    #expect(executor.started.count == 1)
    await host.close()
  }

  @Test("a secret value is masked in records, but passed to its job unchanged", arguments: Door.allCases) func secrets(
    door: Door
  ) async throws {
    var configuration = HostConfiguration()
    configuration.environment = ["TOKEN": "hush-hush-hush"]
    let executor = ScriptedExecutor(["x": [.prints("the token is hush-hush-hush")]], by: door)
    let host = try EngineTestHost(executor: executor, configuration: configuration, isLent: true)
    let run = try await host.run(
      """
      secrets: { token: { env: TOKEN } }
      operations: [{ name: a, env: { T: "${{ secrets.token }}" }, run: x }]
      """)
    #expect(executor.started.first?.environment["T"] == "hush-hush-hush")
    #expect(executor.started.first?.environment["TOKEN"] == nil)
    #expect(run.outcome.results["a"]?.text.contains("hush") != true)
    #expect(run.operations.allSatisfy { !"\($0.result)".contains("hush-hush") })
    await host.close()
  }

  @Test("an attempt is recorded with its log, and with its executor's name for its job", arguments: Door.allCases)
  func recordsJob(door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(["x": [.prints("1")]], by: door), isLent: true)
    let run = try await host.run("operations: [{ name: a, run: x }, { name: b, needs: a, run: y }]")
    #expect(run.attempts.map { $0.standardOutput != nil } == [true, false])
    #expect(run.attempts.allSatisfy { $0.standardError == nil })
    // A job of this computer is a process, and has no executor to recover it from.
    #expect(run.attempts.allSatisfy { ($0.pid != nil) == (door == .fast) })
    #expect(run.attempts.map(\.executor) == (door == .fast ? [nil, nil] : ["scripted", "scripted"]))
    let id = run.outcome.run.id.text
    #expect(run.attempts.map(\.handle) == (door == .fast ? [nil, nil] : ["\(id)-0-1", "\(id)-1-1"]))
    await host.close()
  }

  @Test("a missing secret ends a run before it begins", arguments: Door.allCases) func missingSecret(
    door: Door
  ) async throws {
    var configuration = HostConfiguration()
    configuration.environment = [:]
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor, configuration: configuration, isLent: true)
    let run = try await host.run("{ secrets: { token: { env: TOKEN } }, operations: [{ name: a, run: x }] }")
    #expect(run.states == ["a cancelled run-not-started"])
    #expect(run.outcome.run.state == .failed)
    #expect(executor.started.isEmpty)
    await host.close()
  }

  @Test("an operation left out on purpose does not hold back those that require success", arguments: Door.allCases)
  func leftOut(
    door: Door
  ) async throws {
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let run = try await host.run(
      host.engine(
        "operations: [{ name: a, run: x }, { name: b, needs: a, when: '!cancelled() && success()', run: y }]",
        selection: .only(operation: "b")))
    #expect(run.states == ["a skipped not-selected", "b succeeded"])
    #expect(executor.commands == ["y"])
    await host.close()
  }

  @Test("a specification of a success's age is evaluated for each operation separately", arguments: Door.allCases)
  func ages(door: Door) async throws {
    let clock = SettableClock()
    let executor = ScriptedExecutor(["seed": [.prints("1"), .prints("2"), .prints("2")]], by: door)
    let host = try EngineTestHost(executor: executor, clock: clock)
    let text = """
      specifications: { old: older-than(1h) }
      operations:
        - { name: seed, run: seed, result: int }
        - { name: a, needs: seed, stale_when: old, run: a }
        - { name: b, needs: a, stale_when: old, command: [tool, "${{ results.seed }}"] }
      """
    #expect(try await host.run(text).states == ["seed succeeded", "a succeeded", "b succeeded"])
    clock.pass(.seconds(50 * 60))
    #expect(try await host.run(text).states == ["seed succeeded", "a reused fresh", "b succeeded"])
    clock.pass(.seconds(20 * 60))
    #expect(try await host.run(text).states == ["seed succeeded", "a succeeded", "b reused fresh"])
    await host.close()
  }

  @Test("a run that could not begin releases its `overlap` lock to the next of its pipeline", arguments: Door.allCases)
  func turns(
    door: Door
  ) async throws {
    var configuration = HostConfiguration()
    configuration.environment = [:]
    let host = try EngineTestHost(executor: ScriptedExecutor(by: door), configuration: configuration, isLent: true)
    for _ in 1...2 {
      let run = try await host.run(
        """
        { name: turns, overlap: queue, secrets: { token: { env: TOKEN } }, operations: [{ name: a, run: x }] }
        """)
      #expect(run.states == ["a cancelled run-not-started"])
      let isTaken = await Task(executorPreference: host.loop) {
        host.services.shared.locks.isTaken(RunRecord.turn(of: "turns"))
      }.value
      try #require(!isTaken, "the next run would wait for ever")
    }
    await host.close()
  }

  @Test("a kill ends nested runs immediately, without running their handlers", arguments: Door.allCases)
  func killsNested(
    door: Door
  ) async throws {
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let engine = try host.engine(
      "operations: [{ name: a, pipeline: inner.yaml }]",
      nested: ["inner.yaml": "operations: [{ name: i, run: x }]\nafter: { always: [{ name: h, run: h }] }"])
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(1)
    await engine.kill()
    #expect(try await run.states == ["a cancelled run-cancelled"])
    #expect(executor.commands == ["x"])
    #expect(executor.stops.first?.grace == .zero)
    await host.close()
  }

  @Test(
    "a retry reuses what succeeded after a failure, unless anything before it has run again", arguments: [1, 0],
    Door.allCases)
  func retriesAsBefore(code: Int32, door: Door) async throws {
    let text = """
      operations:
        - { name: a, run: x, allow_failure: true }
        - { name: b, needs: a, run: y }
        - { name: c, needs: b, run: z }
      """
    let executor = ScriptedExecutor(exits: ["x": [1, code]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let first = try await host.run(text)
    let engine = try host.engine(text, source: first.outcome.run.id)
    let source = try host.services.history.loadForExecution(first.outcome.run.id)
    let plan = await engine.plan(from: source)
    let outcome = try await Task(executorPreference: host.loop) { [source] in
      try await engine.run(after: FormerRuns(source: source, plan: plan))
    }.value
    let retried = try host.finished(outcome)
    #expect(
      retried.operations.map(\.state)
        == (code == 1 ? [.failed, .reused, .reused] : [.succeeded, .succeeded, .succeeded]))
    #expect(executor.commands == ["x", "y", "z", "x"] + (code == 1 ? [] : ["y", "z"]))
    await host.close()
  }

  @Test("a retry of a run starts only what did not succeed", arguments: [1, 2, 3], Door.allCases)
  func retriesRun(failing: Int, door: Door) async throws {
    let text =
      "operations: [{ name: o1, run: x1 }, { name: o2, needs: o1, run: x2 }, { name: o3, needs: o2, run: x3 }]"
    let executor = ScriptedExecutor(exits: ["x\(failing)": [1]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let failed = try await host.run(text)
    let engine = try host.engine(text)
    let source = try host.services.history.loadForExecution(failed.outcome.run.id)
    let outcome = try await Task(executorPreference: host.loop) { [source] in
      try await engine.run(after: FormerRuns(source: source))
    }.value
    #expect(outcome.run.state == .succeeded)
    #expect(executor.commands == (1...failing).map { "x\($0)" } + (failing...3).map { "x\($0)" })
    await host.close()
  }
}

extension RunEngine {
  /// What a retry of `source` reuses.
  fileprivate func plan(from source: RecordedRun?) -> RetryPlan? {
    RetryPlan(of: run.state.pipeline, options: run.options, from: source)
  }
}

extension RunEngine {
  fileprivate var isAskingAnything: Bool { !run.ending.asked.isEmpty }
  fileprivate func untilNothingIsAsked() async { for task in run.ending.asked.values { await task.value } }

  /// Triggers a cancellation that nothing may outlast.
  fileprivate func cancelAgain(_ reason: RunCancellation) {
    switch reason {
    case .requested, .timeout, .late: cancel(reason)
    case .history: historyFailed(.readOnly(path: "history.db"))
    case .engine: fail(with: EngineError.systemCall("epoll_wait", 12))
    }
  }
}
