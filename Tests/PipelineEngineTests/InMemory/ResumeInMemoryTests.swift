import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: resumed runs", .timeLimit(.minutes(1))) struct ResumeInMemoryTests {
  /// Runs a pipeline until this many of its jobs hang, loses its host and its jobs, and resumes it with new fates of jobs.
  private func resumed(
    by door: Door, _ text: String, _ fates: [String: [ScriptedExecutor.Fate]], hanging: Int = 1,
    then later: [String: [ScriptedExecutor.Fate]] = [:], nested: [String: String] = [:]
  ) async throws -> (run: FinishedRun, commands: [String]) {
    let host = try LostHost(fates, by: door, jobsEnd: true)
    let id = try await host.run(text, nested: nested, untilHanging: hanging)
    let executor = ScriptedExecutor(later, by: door)
    let run = try await host.resume(id, executor)
    await host.close()
    return (run, executor.commands)
  }

  @Test("rerun only what had not ended", arguments: [1, 2, 3], Door.allCases) func rest(hanging: Int, door: Door)
    async throws
  {
    let (run, commands) = try await resumed(
      by: door,
      "operations: [{ name: o1, run: x1 }, { name: o2, needs: o1, run: x2 }, { name: o3, needs: o2, run: x3 }]",
      ["x\(hanging)": [.hangs]])
    #expect(run.states == ["o1 succeeded", "o2 succeeded", "o3 succeeded"])
    #expect(commands == (hanging...3).map { "x\($0)" })
  }

  @Test("keep earlier results", arguments: Door.allCases) func results(door: Door) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations:
        - { name: a, run: x, result: int }
        - { name: b, needs: a, run: y }
        - { name: c, needs: b, command: [tool, "${{ results.a }}"] }
      """, ["x": [.prints("6")], "y": [.hangs]])
    #expect(commands == ["y", "6"])
    #expect(run.outcome.results["a"] == .int(6))
  }

  @Test("keep earlier failures, and the outcomes of dependents", arguments: Door.allCases) func failures(
    door: Door
  ) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations:
        - { name: a, run: x }
        - { name: b, needs: a, run: b }
        - { name: c, when: "${{ false }}", run: c }
        - { name: d, needs: c, when: always(), run: y }
      """, ["x": [.exits(3)], "y": [.hangs]])
    #expect(
      run.states == ["a failed exit", "b cancelled dependency-failed", "c skipped condition", "d succeeded"])
    #expect(run.outcome.run.state == .failed)
    #expect(commands == ["y"])
  }

  @Test("do not begin operations after an earlier failure, even if those in between ran", arguments: Door.allCases)
  func behind(door: Door)
    async throws
  {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations:
        - { name: a, run: x }
        - { name: b, needs: a, when: always(), run: y }
        - { name: c, needs: b, run: z }
      """, ["x": [.exits(1)], "y": [.hangs]])
    #expect(run.states == ["a failed exit", "b succeeded", "c cancelled dependency-failed"])
    #expect(commands == ["y"])
  }

  @Test(
    "continue the numbering of attempts, and do not count a lost host as a retry", arguments: [0, 1], Door.allCases)
  func attempts(further: Int32, door: Door) async throws {
    let (run, _) = try await resumed(
      by: door, "operations: [{ name: a, run: x, retry: { limit: 1, base: 1s } }]", ["x": [.hangs]],
      then: ["x": [.exits(1), .exits(further)]])
    #expect(run.states == [further == 0 ? "a succeeded" : "a failed exit"])
    #expect(run.attempts.map(\.number) == [1, 2, 3])
    #expect(run.attempts.map(\.error?.code) == ["host-died", "exit", further == 0 ? nil : "exit"])
  }

  @Test("have the retries that their former host had left", arguments: Door.allCases) func retries(door: Door)
    async throws
  {
    let (run, commands) = try await resumed(
      by: door, "operations: [{ name: a, run: x, retry: { limit: 1, base: 1s } }]", ["x": [.exits(1), .hangs]],
      then: ["x": [.exits(1), .exits(0)]])
    #expect(run.states == ["a failed exit"])
    #expect(commands == ["x"])
  }

  @Test("run the items of a loop that had not ended", arguments: [1, 2], Door.allCases) func items(
    most: Int, door: Door
  ) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      concurrency: 4
      operations:
        - name: a
          for_each: { in: [x, y, z], as: it, concurrency: \(most) }
          command: [tool, "${{ it }}"]
          result: string
      """, ["x": [.prints("1")], "y": [.hangs], "z": most == 2 ? [.hangs] : []], hanging: most,
      then: ["y": [.prints("2")], "z": [.prints("3")]])
    #expect(run.states == ["a succeeded", "a[0] succeeded", "a[1] succeeded", "a[2] succeeded"])
    #expect(run.outcome.results["a"] == .array([.string("1"), .string("2"), .string("3")]))
    // Each of two concurrent ones waits for the record of its former attempt, so the order is undetermined.
    #expect((most == 1 ? commands : commands.sorted()) == ["y", "z"])
  }

  @Test("run the handlers that had not ended", arguments: Door.allCases) func handlers(door: Door) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations: [{ name: a, run: x }]
      after: { failure: [{ name: f, run: f }, { name: g, run: g }], success: [{ name: s, run: s }] }
      """, ["x": [.exits(1)], "g": [.hangs]])
    #expect(run.outcome.run.state == .failed)
    #expect(commands == ["g"])
  }

  @Test("resume the runs nested in them", arguments: [1, 2], Door.allCases) func nested(levels: Int, door: Door)
    async throws
  {
    let inner = "operations: [{ name: i, run: x }, { name: j, needs: i, run: y }]"
    let files = [
      "inner.yaml": levels == 1 ? inner : "operations: [{ name: k, pipeline: innermost.yaml }]",
      "innermost.yaml": inner,
    ]
    let (run, commands) = try await resumed(
      by: door, "operations: [{ name: a, pipeline: inner.yaml }, { name: b, needs: a, run: b }]", ["y": [.hangs]],
      nested: files)
    #expect(run.states == ["a succeeded", "b succeeded"])
    #expect(commands == ["y", "b"])
  }

  @Test(
    "pass the result of the last ended round to the first round, and so does the next host", arguments: Door.allCases)
  func previousRounds(door: Door) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations:
        - name: a
          command: [tool, "${{ previous || 'x' }}"]
          result: int
          retry: { limit: 1, base: 1s }
          repeat: { limit: 4, every: 1s }
      """, ["x": [.prints("1")], "1": [.prints("2")], "2": [.hangs]],
      then: ["2": [.exits(1), .prints("3")], "3": [.prints("4")]])
    #expect(run.states == ["a succeeded"])
    #expect(commands == ["2", "2", "3"])
    #expect(run.outcome.results["a"] == .int(4))
  }

  @Test("continue counting the failures of a loop, and begin no further items", arguments: Door.allCases)
  func failureLimits(door: Door) async throws {
    let (run, commands) = try await resumed(
      by: door,
      """
      operations:
        - { name: a, for_each: { in: [w, x, y, z], concurrency: 1 }, max_failures: 2, command: [tool, "${{ item }}"] }
      """, ["w": [.exits(1)], "x": [.exits(0)], "y": [.hangs]], then: ["y": [.exits(1)]])
    #expect(
      run.states == [
        "a failed items-failed", "a[0] failed exit", "a[1] succeeded", "a[2] failed exit",
        "a[3] cancelled items-failed",
      ])
    #expect(commands == ["y"])
  }

  @Test("continue counting the rounds of a repetition", arguments: Door.allCases) func repeats(door: Door) async throws
  {
    let (run, commands) = try await resumed(
      by: door, "operations: [{ name: a, run: x, repeat: { limit: 3, every: 1s } }]", ["x": [.exits(0), .hangs]])
    #expect(run.states == ["a succeeded"])
    #expect(commands == ["x", "x"])
  }

  @Test("count the wait for their gates from when their former host began it", arguments: Door.allCases) func gates(
    door: Door
  )
    async throws
  {
    let host = try LostHost(["x": [.hangs]], by: door, jobsEnd: true)
    let id = try await host.run(
      "operations: [{ name: a, run: y, run_when: file-exists(go) }, { name: b, run: x }]", untilHanging: 1)
    host.pass(.seconds(60))
    let executor = ScriptedExecutor(["x": [.hangs]], by: door)
    let run = try await host.resume(id, executor) { successor, _ in
      try await executor.hangingCount.reaches(1)
      while try successor.history.operations(of: id).first?.state != .waiting {
        try await Task.sleep(for: .milliseconds(1))
      }
      let since = try successor.history.operations(of: id).first?.waitingSince
      #expect(try since == successor.history.run(id)?.startedAt)
      host.create("go")
      await host.release("x", of: executor)
    }
    #expect(run.states == ["a succeeded", "b succeeded"])
    try host.remove("go")
    await host.close()
  }

  @Test("do not repeat a question that has been answered in the meantime", arguments: [true, false], Door.allCases)
  func answers(
    answer: Bool, door: Door
  )
    async throws
  {
    let host = try LostHost(["x": [.hangs]], by: door, jobsEnd: true)
    let id = try await host.run(
      "operations: [{ name: a, approve: 'A?' }, { name: b, needs: a, run: b }, { name: c, run: x }]",
      untilHanging: 1, asking: 1)
    _ = try host.answer(id, operation: "a", answer)
    let executor = ScriptedExecutor(by: door)
    let run = try await host.resume(id, executor)
    #expect(run.states.first == (answer ? "a succeeded" : "a failed rejected"))
    #expect(Set(executor.commands) == (answer ? ["b", "x"] : ["x"]))
    await host.close()
  }

  @Test("are resumed once", arguments: Door.allCases) func once(door: Door) async throws {
    let host = try LostHost(["x": [.hangs]], by: door, jobsEnd: true)
    let id = try await host.run("operations: [{ name: a, run: x }]", untilHanging: 1)
    _ = try await host.resume(id, ScriptedExecutor(by: door))
    await #expect(throws: RunNotResumable.self) { try await host.resume(id, ScriptedExecutor(by: door)) }
    await host.close()
  }

  @Test("may lose their host repeatedly", arguments: Door.allCases) func again(door: Door) async throws {
    let host = try LostHost(["x": [.hangs]], by: door, jobsEnd: true)
    let id = try await host.run("operations: [{ name: a, run: x }, { name: b, needs: a, run: y }]", untilHanging: 1)
    try await host.resume(
      id, ScriptedExecutor(["y": [.hangs]], by: door, keepsHandles: door == .fast), untilHanging: 1)
    let executor = ScriptedExecutor(by: door)
    let run = try await host.resume(id, executor)
    #expect(run.states == ["a succeeded", "b succeeded"])
    #expect(executor.commands == ["y"])
    #expect(run.attempts.map { "\($0.ordinal)-\($0.number)" } == ["0-1", "0-2", "1-1", "1-2"])
    await host.close()
  }
}
