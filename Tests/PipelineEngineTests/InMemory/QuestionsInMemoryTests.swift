import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: questions", .timeLimit(.minutes(1))) struct QuestionsInMemoryTests {
  /// Runs a pipeline, and answers each of its questions the moment it is asked.
  private func run(
    _ text: String, _ executor: ScriptedExecutor, answer: [String: Bool], note: String? = nil
  ) async throws -> (run: FinishedRun, asked: [Approval]) {
    let host = try EngineTestHost(executor: executor, isLent: true)
    let (questions, ask) = AsyncStream<Approval>.makeStream()
    let engine = try host.engine(text) { event in if case .approval(let question) = event { ask.yield(question) } }
    async let run = host.run(engine)
    var asked: [Approval] = []
    for await question in questions {
      asked.append(question)
      guard asked.count == answer.count else { continue }
      // All concurrent questions, the last one first.
      try await host.services.recorder.flush()
      for question in asked.reversed() {
        _ = try host.services.history.answerApproval(
          engine.id, operation: question.operation, approved: answer[question.operation] ?? false, note: note,
          who: "ann")
      }
      break
    }
    let finished = try await run
    await host.close()
    return (finished, asked)
  }

  @Test("an answer decides the outcome of dependents", arguments: [true, false], Door.allCases) func decides(
    answer: Bool, door: Door
  )
    async throws
  {
    let executor = ScriptedExecutor(by: door)
    let (run, asked) = try await run(
      "operations: [{ name: a, approve: 'Go on?' }, { name: b, needs: a, run: b }]", executor, answer: ["a": answer])
    #expect(
      run.states == (answer ? ["a succeeded", "b succeeded"] : ["a failed rejected", "b cancelled dependency-failed"]))
    #expect(executor.commands == (answer ? ["b"] : []))
    #expect(asked.map(\.message) == ["Go on?"])
  }

  @Test("an answer is the result of the question", arguments: Door.allCases) func result(door: Door) async throws {
    let executor = ScriptedExecutor(by: door)
    _ = try await run(
      """
      operations:
        - { name: a, approve: "Go on?" }
        - { name: b, command: [tool, "${{ results.a.by }}: ${{ results.a.note }}"] }
      """, executor, answer: ["a": true], note: "carefully")
    #expect(executor.commands == ["ann: carefully"])
  }

  @Test("questions are answered independently, in any order", arguments: Door.allCases) func several(door: Door)
    async throws
  {
    let (run, asked) = try await run(
      """
      operations:
        - { name: a, approve: "A?" }
        - { name: b, approve: "B?" }
        - { name: c, needs: a, run: c }
        - { name: d, needs: b, run: d }
      """, ScriptedExecutor(by: door), answer: ["a": true, "b": false])
    #expect(asked.map(\.message) == ["A?", "B?"])
    #expect(
      run.states == ["a succeeded", "b failed rejected", "c succeeded", "d cancelled dependency-failed"])
  }

  @Test("a question takes no slot", arguments: Door.allCases) func slot(door: Door) async throws {
    let executor = ScriptedExecutor(by: door)
    _ = try await run(
      "{ concurrency: 1, operations: [{ name: a, approve: 'A?' }, { name: b, run: b }, { name: c, needs: a, run: c }] }",
      executor, answer: ["a": true])
    #expect(executor.commands == ["b", "c"])
  }

  @Test("a rejection does not fail the run if it is allowed", arguments: Door.allCases) func allowed(door: Door)
    async throws
  {
    let (run, _) = try await run(
      "operations: [{ name: a, approve: 'A?', allow_failure: true }, { name: b, needs: a, run: b }]",
      ScriptedExecutor(by: door), answer: ["a": false])
    #expect(run.states == ["a failed rejected", "b succeeded"])
    #expect(run.outcome.run.state == .succeeded)
  }

  @Test("a cancellation ends the wait for an answer", arguments: [false, true]) func cancels(isKilled: Bool)
    async throws
  {
    let host = try EngineTestHost(executor: ScriptedExecutor(), isLent: true)
    let (questions, ask) = AsyncStream<Void>.makeStream()
    let engine = try host.engine("operations: [{ name: a, approve: 'A?' }, { name: b, needs: a, run: b }]") { event in
      if case .approval = event { ask.yield() }
    }
    async let run = host.run(engine)
    for await _ in questions { break }
    if isKilled { await engine.kill() } else { await engine.cancel(.requested) }
    #expect(try await run.states == ["a cancelled run-cancelled", "b cancelled run-cancelled"])
    await host.close()
  }
}
