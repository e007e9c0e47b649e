import Foundation
import Glibc
import OperatingSystem
import Operations
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("Executors", .timeLimit(.minutes(1))) struct ExecutorTests {
  private let lost = OperationFailure(code: "command-not-found", message: "there is no such program", exitCode: 127)

  @Test(
    "ends that only clusters have are distinct failures",
    arguments: zip(
      [
        JobEnd.Cause.nodeFailed("node-7"), .preempted(""), .outOfMemory("used 2 GiB of 1 GiB"),
        .lost("the queue was emptied"), .signal(15), .exited(3),
      ],
      [
        "node-failed: the computer it ran on failed: node-7", "preempted: was preempted to make room for other jobs",
        "out-of-memory: exceeded its memory limit: used 2 GiB of 1 GiB",
        "lost: ended in an unknown way: the queue was emptied", "signal: was ended by SIGTERM",
        "exit: exited with code 3",
      ]))
  func ends(_ cause: JobEnd.Cause, _ said: String) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(["job": [.ends(cause)]]))
    let run = try await host.run("operations: [{ name: a, run: job }]")
    let (operation, attempt) = (try #require(run.operations.first?.error), try #require(run.attempts.first?.error))
    #expect("\(operation.code): \(operation.message)" == said)
    #expect(operation == attempt)
    await host.close()
  }

  @Test(
    "an unknown end is retried only if `on` lists it", arguments: ["limit: 1", "limit: 1, on: [lost]"])
  func unknown(retry: String) async throws {
    let executor = ScriptedExecutor(["job": [.ends(.lost(""))]])
    let host = try EngineTestHost(executor: executor)
    let run = try await host.run("operations: [{ name: a, run: job, retry: { \(retry) } }]")
    #expect(run.states == [retry.contains("on") ? "a succeeded" : "a failed lost"])
    await host.close()
  }

  @Test("a handle is recorded before anything waits for its job")
  func durable() async throws {
    let executor = ScriptedExecutor(["job": [.hangs]], keepsHandles: false)
    let host = try EngineTestHost(executor: executor)
    let engine = try host.engine("operations: [{ name: a, run: job }]")
    async let run = host.run(engine)
    try await executor.hangingCount.reaches(1)
    let attempts = try host.services.history.attempts(of: engine.id)
    let handle = "\(engine.id.text)-0-1"
    #expect(attempts.map(\.handle) == [handle])
    await Task(executorPreference: host.loop) { executor.release("job") }.value
    let finished = try await run
    #expect(finished.attempts.map(\.handle) == [handle])
    #expect(finished.attempts.map(\.executor) == ["scripted"])
    await host.close()
  }

  @Test("a job that has begun is repeated only by a retry", arguments: [0, 1])
  func repeated(limit: Int) async throws {
    let executor = ScriptedExecutor(["job": [.ends(.preempted("")), .exits(0)]])
    let host = try EngineTestHost(executor: executor)
    let run = try await host.run("operations: [{ name: a, run: job, retry: { limit: \(limit), base: 1s } }]")
    #expect(run.states == [limit == 0 ? "a failed preempted" : "a succeeded"])
    #expect(executor.started.map(\.id.attempt) == Array(1...(limit + 1)))
    await host.close()
  }

  @Test("a job that has not begun is started again freely", arguments: [false, true])
  func free(afterwards: Bool) async throws {
    let none: ScriptedExecutor.Fate = afterwards ? .ends(.notBegun("no node")) : .notBegun
    let executor = ScriptedExecutor(["job": [none, none, .exits(0)]])
    let clock = SettableClock()
    let host = try EngineTestHost(executor: executor, clock: clock)
    let run = try await host.run("operations: [{ name: a, run: job }]")
    #expect(run.states == ["a succeeded"])
    #expect(run.attempts.map(\.number) == [1])
    #expect(executor.started.map(\.id.attempt) == [1, 1, 1])
    #expect(clock.delays == [.seconds(1), .seconds(2)])
    await host.close()
  }

  @Test("a job that never begins fails after four starts") func never() async throws {
    let executor = ScriptedExecutor(["job": Array(repeating: .ends(.notBegun("no node")), count: 9)])
    let host = try EngineTestHost(executor: executor)
    let run = try await host.run("operations: [{ name: a, run: job }]")
    #expect(run.states == ["a failed not-begun"])
    #expect(run.operations.first?.error?.message == "was never started: no node")
    #expect(executor.started.count == 4)
    await host.close()
  }

  @Test("a rejected start fails the attempt with its reason") func refused() async throws {
    let executor = ScriptedExecutor(["job": [.refused(lost)]])
    let host = try EngineTestHost(executor: executor)
    let run = try await host.run("operations: [{ name: a, run: job }]")
    #expect(run.states == ["a failed command-not-found"])
    #expect(run.attempts.first?.exitCode == 127)
    await host.close()
  }

  @Test("a start with unknown outcome is recovered before it is repeated")
  func open() async throws {
    let cases: [(ScriptedExecutor.Fate, Int, String)] = [
      (.exits(0), 1, "a succeeded"), (.exits(4), 1, "a failed exit"), (.notBegun, 2, "a succeeded"),
      (.ends(.lost("gone")), 1, "a failed lost"),
    ]
    for (fate, starts, state) in cases {
      let executor = ScriptedExecutor(["job": [.open(fate)]])
      let host = try EngineTestHost(executor: executor)
      let run = try await host.run("operations: [{ name: a, run: job }]")
      #expect(run.states == [state])
      #expect(executor.started.count == starts)
      #expect(executor.recoveries.map(\.name) == [.open])
      await host.close()
    }
  }

  @Test("a job does not wait for the outcome of another start") func apart() async throws {
    let executor = ScriptedExecutor(["slow": [.unanswered], "next": [.hangs]])
    let host = try EngineTestHost(executor: executor)
    let engine = try host.engine(
      "operations: [{ name: a, run: slow }, { name: b, run: quick }, { name: c, needs: b, run: next }]")
    async let run = host.run(engine)
    // `b` has ended by then, although `a` has not been answered.
    try await executor.hangingCount.reaches(1)
    await Task(executorPreference: host.loop) {
      executor.answer("slow")
      executor.release("next")
    }.value
    #expect(try await run.states == ["a succeeded", "b succeeded", "c succeeded"])
    await host.close()
  }

  @Test("a kill stops the jobs of its run immediately, and a cancellation after their grace period") func stops()
    async throws
  {
    for isKilled in [true, false] {
      let executor = ScriptedExecutor(["job": [.hangs], "other": [.hangs]])
      let host = try EngineTestHost(executor: executor)
      let (engine, other) = (
        try host.engine("operations: [{ name: a, run: job, grace: 3s }]"),
        try host.engine("operations: [{ name: b, run: other }]")
      )
      async let first = host.run(engine)
      async let second = host.run(other)
      try await executor.hangingCount.reaches(2)
      if isKilled { await engine.kill() } else { await engine.cancel(.requested) }
      #expect(try await first.states == ["a cancelled run-cancelled"])
      #expect(executor.stops.first?.grace == (isKilled ? .zero : .seconds(3)))
      #expect(Set(executor.stops.map(\.handle.job.run)) == [engine.id])
      await Task(executorPreference: host.loop) { executor.release("other") }.value
      #expect(try await second.states == ["b succeeded"])
      await host.close()
    }
  }

  @Test("a job that begins while its run is killed is stopped immediately") func killedMeanwhile() async throws {
    let executor = ScriptedExecutor(["job": [.hangs]], keepsHandles: false)
    let host = try EngineTestHost(executor: executor)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let engine = try host.engine("operations: [{ name: a, run: job, grace: 1h }]") { event in
      if case .attempt(let attempt) = event, attempt.state == .running { begin.yield() }
    }
    async let run = host.run(engine)
    for await _ in begun { break }
    await engine.kill()
    #expect(try await run.states == ["a cancelled run-cancelled"])
    #expect(executor.stops.first { $0.handle.name != .open }?.grace == .zero)
    await host.close()
  }

  @Test("the local executor terminates what a job leaves in its session, even without its run's environment and log")
  func leftInSession() async throws {
    let host = try EngineTestHost()
    let run = try await host.run(
      """
      operations:
        - name: a
          result: int
          run: |
            env -i /bin/sh -c 'exec sleep 300' < /dev/null > /dev/null 2>&1 &
            sleep 0.1
            echo $!
      """)
    guard case .int(let pid)? = run.outcome.results["a"] else { return #expect(run.states == ["a succeeded"]) }
    #expect(ProcessTable.entry(of: pid_t(pid)) == nil)
    await host.close()
  }

  @Test("the local executor behaves the same by handles as by the fast path") func local() async throws {
    let host = try EngineTestHost()
    let local = host.services.executors.local
    let (run, workspace) = (RunID.generate(), host.services.history.workspace.directory)
    let loop = host.loop
    let ends = await Task(executorPreference: loop) { () -> [JobEnd.Cause] in
      let files = LogFilePool(workspace: workspace, relative: "runs/\(run.text)")
      let environment = AttemptEnvironment(RunEnvironment(.inherited()))
      let jobs = ["exit 3", "kill -9 $$", "sleep 600"].enumerated().map { index, script in
        Job(
          id: JobID(run: run, ordinal: index, attempt: 1), operation: "a", arguments: ["/bin/sh", "-c", script],
          environment: environment, directory: nil, input: .none, masker: nil, grace: .seconds(1), files: files)
      }
      var handles: [JobHandle] = []
      for job in jobs { if case .begun(let handle) = await local.start(job) { handles.append(handle) } }
      guard handles.count == 3 else { return [] }
      if case .running = await local.recover(handles[2]) {} else { return [] }
      local.stop([handles[2]], grace: .seconds(5))
      var ends: [JobEnd.Cause] = []
      for handle in handles { ends.append(await local.end(of: handle, nil).cause) }
      local.forget(run)
      return ends
    }.value
    #expect(ends == [.exited(3), .signal(9), .signal(15)])
    #expect(await Task(executorPreference: loop) { local.runCount }.value == 0)
    await host.close()
  }
}
