import Synchronization
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("A cancelled run", .timeLimit(.minutes(1))) struct RunCancellationTests {
  /// Runs a pipeline until its job `x` hangs, cancels the run, and lets the job end unless it has been stopped.
  private func cancelled(
    by door: Door, _ text: String, _ reason: RunCancellation = .requested,
    exits: [String: [ScriptedExecutor.Fate]] = [:]
  ) async throws -> (run: FinishedRun, commands: [String]) {
    let executor = ScriptedExecutor(["x": [.hangs]].merging(exits) { first, _ in first }, by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let engine = try host.engine(text)
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(1)
    await engine.cancel(reason)
    await Task(executorPreference: host.loop) { executor.release("x") }.value
    let finished = try await run
    await host.close()
    return (finished, executor.commands)
  }

  @Test(
    "lets items of a loop that always run continue, and cancels those whose condition is false",
    arguments: Door.allCases)
  func items(door: Door) async throws {
    let (run, commands) = try await cancelled(
      by: door,
      """
      operations:
        - name: a
          for_each: { in: [x, y, z], as: it, concurrency: 1 }
          when: "${{ always() && it != 'y' }}"
          command: [tool, "${{ it }}"]
      """)
    #expect(
      run.states == ["a cancelled run-cancelled", "a[0] succeeded", "a[1] cancelled run-cancelled", "a[2] succeeded"])
    #expect(commands == ["x", "z"])
  }

  @Test(
    "lets operations that always run continue if a person cancelled it, and ends them if it timed out",
    arguments: [true, false], Door.allCases)
  func lasting(isTimeUp: Bool, door: Door) async throws {
    let (run, commands) = try await cancelled(
      by: door, "operations: [{ name: a, when: always(), run: x }, { name: b, needs: a, when: always(), run: y }]",
      isTimeUp ? .timeout : .requested)
    #expect(run.states == [isTimeUp ? "a cancelled run-timeout" : "a succeeded", "b succeeded"])
    #expect(commands == ["x", "y"], "what has not begun is asked in both cases")
    #expect(run.outcome.run.state == (isTimeUp ? .failed : .cancelled))
  }

  @Test("remains cancelled for status functions, even if something in it fails", arguments: Door.allCases)
  func failures(
    door: Door
  ) async throws {
    let (run, commands) = try await cancelled(
      by: door,
      """
      operations:
        - { name: a, run: x }
        - { name: b, needs: a, when: always(), run: y }
        - { name: c, needs: b, when: cancelled(), run: z }
      """, exits: ["y": [.exits(1)]])
    #expect(run.states == ["a cancelled run-cancelled", "b failed exit", "c succeeded"])
    #expect(commands == ["x", "y", "z"])
    #expect(run.outcome.run.state == .cancelled)
  }

  @Test(
    "ends running operations, even if it was cancelled while operations were being started", arguments: Door.allCases)
  func whileBeginning(door: Door) async throws {
    let executor = ScriptedExecutor(["x": [.hangs], "y": [.hangs]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let cancelled = Mutex<RunEngine?>(nil)
    let engine = try host.engine(
      "{ concurrency: 2, operations: [{ name: a, run: x }, { name: b, run: y }, { name: c, needs: b, value: 1 }] }"
    ) { event in
      guard case .operation(let operation) = event, operation.name == "c", operation.state == .succeeded else { return }
      cancelled.withLock { $0 }?.assumeIsolated { $0.cancel(.requested) }
    }
    cancelled.withLock { $0 = engine }
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(2)
    await Task(executorPreference: host.loop) { executor.release("y") }.value
    #expect(try await run.states == ["a cancelled run-cancelled", "b succeeded", "c succeeded"])
    cancelled.withLock { $0 = nil }
    await host.close()
  }

  @Test("evaluates conditions of its handlers that read files", arguments: [true, false], Door.allCases)
  func fileConditions(isTimeUp: Bool, door: Door) async throws {
    let (run, _) = try await cancelled(
      by: door,
      """
      operations: [{ name: a, run: x }]
      after:
        always:
          - { name: h, when: "hashFiles('*') != 'x'", value: 1 }
          - { name: e, for_each: [1, 2], when: "hashFiles('*') != item", value: 1 }
      """, isTimeUp ? .timeout : .requested)
    #expect(run.states.dropFirst() == ["h succeeded", "e succeeded", "e[0] succeeded", "e[1] succeeded"])
  }

  @Test("ends waiting handlers when it is cancelled again", arguments: Door.allCases) func handlersThatWait(
    door: Door
  ) async throws {
    let executor = ScriptedExecutor(["x": [.exits(1)]], by: door)
    let host = try EngineTestHost(executor: executor, isLent: true)
    let (waits, wait) = AsyncStream<Void>.makeStream()
    let engine = try host.engine(
      """
      operations: [{ name: a, run: x }]
      after: { always: [{ name: pause, wait: file-exists(never) }, { name: never, value: 1 }] }
      """
    ) { event in
      if case .operation(let operation) = event, operation.state == .waiting { wait.yield() }
    }
    async let run = host.run(engine)
    for await _ in waits { break }
    await engine.kill()
    #expect(try await run.states == ["a failed exit", "pause cancelled run-cancelled"])
    await host.close()
  }

  @Test("remains cancelled even if a handler fails", arguments: Door.allCases) func handlers(door: Door) async throws {
    let (run, commands) = try await cancelled(
      by: door, "{ operations: [{ name: a, run: x }], after: { cancel: [{ name: h, run: h }] } }",
      exits: ["h": [.exits(1)]])
    #expect(run.states == ["a cancelled run-cancelled", "h failed exit"])
    #expect(commands == ["x", "h"])
    #expect(run.outcome.run.state == .cancelled && run.outcome.run.reason == nil)
  }
}
