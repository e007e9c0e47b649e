import Synchronization
import Testing

@testable import RunHistory

@Suite("The engine") struct RunEngineTests {
  @Test("passes a result to the operation that needs it") func injects() async throws {
    let host = try EngineTestHost()
    let run = try await host.run(
      """
      operations:
        - { name: list, value: [1, 2, 3] }
        - { name: count, value: "${{ length(results.list) }}" }
      """)
    #expect(run.outcome.results["count"] == .int(3))
    #expect(run.states == ["list succeeded", "count succeeded"])
    await host.close()
  }

  @Test("gives items the label of their loop, which can use results and the item", arguments: Door.allCases)
  func labels(
    door: Door
  ) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]], by: door))
    let run = try await host.run(
      """
      operations:
        - { name: stage, value: test }
        - name: ping
          for_each: { in: [{ name: a, job: fine }, { name: b, job: broken }], as: host, label: "${{ host.name }} (${{ results.stage }})" }
          command: [run, "${{ host.job }}"]
        - { name: plain, for_each: [in/x.csv], value: 1 }
      """)
    let labels = run.operations.compactMap { record in record.label.map { "\(record.name) \($0)" } }
    #expect(labels.sorted() == ["ping[0] a (test)", "ping[1] b (test)", "plain[0] in/x.csv"])
    let recorded = run.operations.compactMap { record in record.recordedLabel.map { "\(record.name) \($0)" } }
    #expect(recorded.sorted() == ["ping[0] a (test)", "ping[1] b (test)"])
    #expect(run.operations[1].error?.message == "1 of 2 items failed; first 'ping[1] b (test)': exited with code 3")
    await host.close()
  }

  @Test("cancels what needs the result of a failed operation, and continues with the rest", arguments: Door.allCases)
  func failure(door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]], by: door))
    let run = try await host.run(
      """
      operations:
        - { name: first, run: broken }
        - { name: second, needs: first, run: fine }
        - { name: third, needs: second, run: fine }
        - { name: other, run: fine }
        - { name: cleanup, needs: first, when: failure(), run: fine }
      """)
    #expect(run.outcome.run.state == .failed)
    #expect(run.outcome.run.reason == "operation-failed: first")
    #expect(
      Set(run.states) == [
        "first failed exit", "second cancelled dependency-failed", "third cancelled dependency-cancelled",
        "other succeeded",
        "cleanup succeeded",
      ])
    await host.close()
  }

  @Test("waits between retries according to the backoff, and numbers the attempts", arguments: Door.allCases)
  func retries(
    door: Door
  ) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["flaky": [1, 1, 1]], by: door))
    let run = try await host.run(
      """
      operations:
        - { name: a, run: flaky, retry: { limit: 5, backoff: exponential, base: 100ms, jitter: none } }
      """)
    #expect(run.states == ["a succeeded"])
    #expect(run.delays(of: "a") == [100, 200, 400])
    #expect(run.attempts.map(\.number) == [1, 2, 3, 4])
    #expect(run.attempts.map(\.state) == [.failed, .failed, .failed, .succeeded])
    #expect(run.attempts.map(\.wakeCause) == ["delay", "delay", "delay", nil])
    await host.close()
  }

  @Test("retries only what `on` lists", arguments: Door.allCases) func filtersRetries(door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["flaky": [2, 9]], by: door))
    let run = try await host.run(
      """
      operations:
        - { name: a, run: flaky, retry: { limit: 5, base: 1ms, on: [{ exit: [2, 3] }] } }
      """)
    #expect(run.states == ["a failed exit"])
    #expect(run.attempts.map(\.exitCode) == [2, 9])
    await host.close()
  }

  @Test("reports a failure until the next attempt begins", arguments: Door.allCases) func formerFailure(door: Door)
    async throws
  {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["flaky": [1]], by: door))
    let told = Mutex<[String]>([])
    _ = try await host.run("operations: [{ name: a, run: flaky, retry: { limit: 1, base: 1ms } }]") { event in
      guard case .operation(let operation) = event else { return }
      told.withLock { $0.append("\(operation.attempts) \(operation.state) \(operation.error?.code ?? "-")") }
    }
    let states = told.withLock { $0 }
    #expect(states.contains("1 retrying exit"))
    #expect(states.contains("2 running -"))
    #expect(!states.contains("2 running exit"))
    await host.close()
  }

  @Test("retakes the slot of an attempt that could not start after one that did", .timeLimit(.minutes(1)))
  func slotAfterFailedStart() async throws {
    let host = try EngineTestHost()
    // The second attempt has no program to start.
    let run = try await host.run(
      """
      concurrency: 1
      operations:
        - name: a
          command: ["${{ hashFiles('tried') == '' && 'sh' || '' }}", "-c", "echo yes > tried; exit 1"]
          retry: { limit: 1, base: 1ms }
        - { name: b, needs: a, when: always(), run: "true" }
      """)
    #expect(run.operations.map(\.state) == [.failed, .succeeded])
    #expect(run.attempts.map(\.error?.code) == ["exit", "command-not-found", nil])
    await host.close()
  }

  @Test("keeps the result of each round of a repetition with its attempt", arguments: Door.allCases) func rounds(
    door: Door
  ) async throws {
    let host = try EngineTestHost(
      executor: ScriptedExecutor(["x": [.prints("1"), .prints("2"), .prints("3")]], by: door))
    let run = try await host.run(
      "operations: [{ name: a, run: x, result: int, repeat: { until: '${{ results.a > 2 }}', every: 1s, limit: 9 } }]")
    #expect(run.attempts.prefix(2).map(\.result) == [.inline("1"), .inline("2")])
    #expect(run.operations.map(\.result) == [.inline("3")])
    await host.close()
  }

  @Test("does not record ended operations as waiting") func waitsNoMore() async throws {
    let host = try EngineTestHost()
    let run = try await host.run(
      "operations: [{ name: a, wait: 1h }, { name: b, run_when: never, otherwise: fail, value: 1 }]")
    #expect(run.states == ["a succeeded", "b failed gate-closed"])
    #expect(run.operations.map(\.waitingSince) == [nil, nil])
    await host.close()
  }

  @Test(
    "runs at most `concurrency` processes at once, in the order of the file", arguments: [1, 2, 3, 9], Door.allCases)
  func orders(concurrency: Int, door: Door) async throws {
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor)
    _ = try await host.run(
      """
      concurrency: \(concurrency)
      operations:
        - { name: a, run: one }
        - { name: b, run: two }
        - { name: c, run: three }
        - { name: d, run: four }
      """)
    #expect(executor.started.map { $0.arguments.last } == ["one", "two", "three", "four"])
    #expect(executor.mostAtOnce == min(concurrency, 4))
    await host.close()
  }

  @Test("passes values to a process in the environment, never in its script", arguments: Door.allCases)
  func environment(door: Door) async throws {
    let executor = ScriptedExecutor(by: door)
    let host = try EngineTestHost(executor: executor)
    _ = try await host.run(
      """
      env: { LEVEL: pipeline, KEPT: "yes" }
      operations:
        - { name: a, value: '"; rm -rf / #' }
        - { name: b, env: { LEVEL: operation }, inject: { text: "${{ results.a }}", list: "${{ fromJSON('[1,2]') }}" }, run: show }
      """)
    let environment = try #require(executor.started.first?.environment)
    #expect(executor.started.first?.arguments == ["/bin/sh", "-e", "-c", "show"])
    #expect(environment["text"] == "\"; rm -rf / #")
    #expect(environment["list"] == "[1,2]")
    #expect(environment["LEVEL"] == "operation")
    #expect(environment["KEPT"] == "yes")
    #expect(environment["PENSTOCK_OPERATION"] == "b")
    #expect(environment["PENSTOCK_ATTEMPT"] == "1")
    await host.close()
  }

  @Test("runs the handlers that match the outcome, then those for always", arguments: Door.allCases) func handlers(
    door: Door
  ) async throws {
    let executor = ScriptedExecutor(exits: ["broken": [1]], by: door)
    let host = try EngineTestHost(executor: executor)
    _ = try await host.run(
      """
      operations: [{ name: a, run: broken }]
      after:
        always: [{ name: last, run: always }]
        success: [{ name: good, run: good }]
        failure: [{ name: page, run: page }]
      """)
    #expect(executor.started.map { $0.arguments.last } == ["broken", "page", "always"])
    await host.close()
  }

  @Test("reports the first handler that failed, unless the run had failed before", arguments: [0, 1], Door.allCases)
  func failedHandlers(exit: Int32, door: Door) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["x": [exit], "l": [1], "m": [1]], by: door))
    let run = try await host.run(
      "{ operations: [{ name: a, run: x }], after: { always: [{ name: l, run: l }, { name: m, run: m }] } }")
    #expect(run.outcome.run.state == .failed)
    #expect(run.outcome.run.reason == (exit == 0 ? "handler-failed: l" : "operation-failed: a"))
    await host.close()
  }

  @Test("collects the results of a loop in the order of its items, whichever ends first") func loops() async throws {
    let host = try EngineTestHost()
    // The first item ends when the last one has.
    let run = try await host.run(
      """
      concurrency: 3
      operations:
        - name: each
          for_each: { in: [3, 1, 2], as: n, concurrency: 3 }
          env: { N: "${{ n }}", DONE: "\(host.directory)/done" }
          run: |
            [ $N != 3 ] || until [ -e "$DONE" ]; do sleep 0.01; done
            [ $N != 2 ] || touch "$DONE"
            printf %s-done $N
        - { name: pairs, matrix: { os: [a, b], v: [1, 2] }, value: "${{ item.os }}${{ item.v }}" }
      """)
    #expect(run.outcome.results["each"] == .array([.string("3-done"), .string("1-done"), .string("2-done")]))
    #expect(run.outcome.results["pairs"] == .array(["a1", "a2", "b1", "b2"].map { .string($0) }))
    await host.close()
  }

  @Test("records ten thousand operations with one row for each attempt") func many() async throws {
    let host = try EngineTestHost()
    let text = "operations:\n" + (0..<10_000).map { "  - { name: s\($0), value: \($0) }\n" }.joined()
    let run = try await host.run(text)
    #expect(run.outcome.run.counts.succeeded == 10_000)
    #expect(run.operations.count == 10_000)
    #expect(run.attempts.count == 10_000)
    await host.close()
  }

  @Test("ends a chain of ten thousand skipped operations without recursion") func longSkip() async throws {
    let host = try EngineTestHost()
    let text =
      "order: chain\noperations:\n  - { name: s0, when: '${{ length(fromJSON(''[]'')) > 0 }}', value: 0 }\n"
      + (1..<10_000).map { "  - { name: s\($0), value: \($0) }\n" }.joined()
    let run = try await host.run(text)
    #expect(run.outcome.run.state == .succeeded)
    #expect(run.outcome.run.counts.skipped == 10_000)
    await host.close()
  }
}
