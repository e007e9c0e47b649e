import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("In memory: outcomes", .timeLimit(.minutes(1))) struct OutcomesInMemoryTests {
  @Test("the outcome", arguments: EngineCase.read(cases)) func follows(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  @Test("an operation after several failures names the first of them", arguments: Door.allCases) func culprits(
    door: Door
  ) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["x": [1], "y": [1]], by: door), isLent: true)
    let run = try await host.run(
      """
      concurrency: 1
      operations:
        - { name: a, run: x }
        - { name: b, run: y }
        - { name: c, needs: [a, b], when: always(), run: c }
        - { name: d, needs: c, run: d }
      """)
    #expect(run.states.suffix(2) == ["c succeeded", "d cancelled dependency-failed"])
    #expect(run.operations.last?.operationReason == .dependencies(.failed, ["a"]))
    await host.close()
  }

  private static let cases = """
    # an exit with a code [1 2 126 255]
      - { name: a, run: x }
      - { name: b, needs: a, run: b }
      - { name: c, needs: b, run: c }
      - { name: d, run: d }
    ---
    job x: exit {N}
    a failed exit
    b cancelled dependency-failed
    c cancelled dependency-cancelled
    d succeeded
    => failed
    # a signal [2 9 15]
      - { name: a, run: x }
      - { name: b, needs: a, run: b }
    ---
    job x: signal {N}
    a failed signal
    b cancelled dependency-failed
    => failed
    commands: x
    # an end that only clusters have [preempted node-failed out-of-memory lost]
      - { name: a, run: x }
      - { name: b, needs: a, run: b }
    ---
    job x: {N}
    a failed {N}
    b cancelled dependency-failed
    => failed
    commands: x
    # a failure that is allowed
      - { name: a, run: x, allow_failure: true }
      - { name: b, needs: a, run: b }
    ---
    job x: exit 1
    a failed exit
    b succeeded
    commands: x b
    # a condition that is false
      - { name: a, run: x, when: "${{ false }}" }
      - { name: b, needs: a, run: b }
    ---
    a skipped condition
    b skipped dependency-skipped
    commands:
    # a result that is missing where one is required
      - { name: a, run: x }
      - { name: b, inject: a, run: b }
    ---
    a succeeded
    b cancelled requirement-not-satisfied
    => failed
    commands: x
    # a missing result with a default
      - { name: a, run: x }
      - { name: b, command: [tool, "${{ results.a || 'none' }}"] }
    ---
    a succeeded
    b succeeded
    commands: x none
    # a failure, to one that asks for it [always() failure() operations.a.state_==_'failed']
      - { name: a, run: x }
      - { name: b, needs: a, when: "{N}", run: b }
    ---
    job x: exit 1
    a failed exit
    b succeeded
    => failed
    commands: x b
    # a success, to one that asks for a failure [failure() cancelled()]
      - { name: a, run: x }
      - { name: b, needs: a, when: {N}, run: b }
    ---
    a succeeded
    b skipped condition
    commands: x
    # a failure far away, to one that asks for it
      - { name: a, run: x }
      - { name: b, needs: a, run: b }
      - { name: c, needs: b, when: failure(), run: c }
    ---
    job x: exit 1
    a failed exit
    b cancelled dependency-failed
    c succeeded
    => failed
    commands: x c
    # a failed clean-up
      - { name: a, run: x }
      - { name: b, needs: a, when: always(), run: b }
    ---
    job b: exit 1
    a succeeded
    b failed exit
    => failed
    # a program that is not there
      - { name: a, run: x }
    ---
    job x: nonsense
    a failed no-such-fate
    => failed
    # two failures of three
      - { name: a, run: a }
      - { name: b, run: b }
      - { name: c, needs: [a, b], run: c }
    ---
    job a: exit 1
    job b: exit 1
    a failed exit
    b failed exit
    c cancelled dependency-failed
    => failed
    commands: a b
    # a time limit that is over
      - { name: a, run: x, timeout: 5s }
      - { name: b, needs: a, run: b }
    ---
    job x: hangs
    a failed timeout
    b cancelled dependency-failed
    => failed
    delays: 5000
    # an error, to one that looks at it
      - { name: a, run: x }
      - { name: b, needs: a, when: failure(), command: [tool, "${{ errors.a.code }}-${{ errors.a.exit_code }}"] }
    ---
    job x: exit 7
    a failed exit
    b succeeded
    => failed
    commands: x exit-7
    """
}

@Suite("In memory: handlers", .timeLimit(.minutes(1))) struct HandlersInMemoryTests {
  @Test("after a run", arguments: EngineCase.read(cases)) func handles(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # that succeeded, those for success and always run
    operations: [{ name: a, run: a }]
    after: { success: [{ name: s, run: s }], failure: [{ name: f, run: f }], always: [{ name: l, run: l }] }
    ---
    a succeeded
    s succeeded
    l succeeded
    commands: a s l
    # that failed, those for failure and always run
    operations: [{ name: a, run: a }]
    after: { success: [{ name: s, run: s }], failure: [{ name: f, run: f }], always: [{ name: l, run: l }] }
    ---
    job a: exit 1
    a failed exit
    f succeeded
    l succeeded
    => failed
    commands: a f l
    # a handler that fails makes the run fail
    operations: [{ name: a, run: a }]
    after: { success: [{ name: s, run: s }], always: [{ name: l, run: l }] }
    ---
    job s: exit 1
    a succeeded
    s failed exit
    l succeeded
    => failed
    commands: a s l
    # an item that fails is no failure of the run to the items behind it
    operations: [{ name: a, run: a }]
    after:
      always:
        - { name: l, for_each: { in: [x, y], as: it, concurrency: 1 }, when: "${{ it != 'z' && !failure() }}", command: [tool, "${{ it }}"] }
    ---
    job x: exit 1
    a succeeded
    l failed items-failed
    l[0] failed exit
    l[1] succeeded
    => failed
    commands: a x y
    # a handler that may fail does not
    operations: [{ name: a, run: a }]
    after: { success: [{ name: s, run: s, allow_failure: true }] }
    ---
    job s: exit 1
    a succeeded
    s failed exit
    # a handler is retried
    operations: [{ name: a, run: a }]
    after: { success: [{ name: s, run: s, retry: { limit: 2, base: 1s, jitter: none } }] }
    ---
    job s: exit 1 | exit 1
    a succeeded
    s succeeded
    commands: a s s s
    delays: 1000 2000
    # a handler sees what failed
    operations: [{ name: a, run: a }]
    after: { failure: [{ name: f, command: [tool, "${{ errors.a.code }}"] }] }
    ---
    job a: exit 1
    a failed exit
    f succeeded
    => failed
    commands: a exit
    # a handler with a false condition is skipped
    operations: [{ name: a, run: a }]
    after: { always: [{ name: l, when: "${{ false }}", run: l }] }
    ---
    a succeeded
    l skipped condition
    commands: a
    # handlers run one after another, however many slots there are
    concurrency: 8
    operations: [{ name: a, run: a }]
    after: { always: [{ name: l, run: l }, { name: m, run: m }, { name: n, run: n }] }
    ---
    a succeeded
    l succeeded
    m succeeded
    n succeeded
    commands: a l m n
    most: 1
    """
}
