import Testing

@Suite("In memory: retries", .timeLimit(.minutes(1))) struct RetriesInMemoryTests {
  @Test("a retry", arguments: EngineCase.read(cases)) func retries(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # waits the same each time
      - { name: a, run: x, retry: { limit: 4, backoff: constant, base: 1s, jitter: none } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1
    a succeeded
    delays: 1000 1000 1000 1000
    # waits longer by its base each time
      - { name: a, run: x, retry: { limit: 4, backoff: linear, base: 1s, jitter: none } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1
    a succeeded
    delays: 1000 2000 3000 4000
    # waits twice as long each time
      - { name: a, run: x, retry: { limit: 4, backoff: exponential, base: 1s, jitter: none } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1
    a succeeded
    delays: 1000 2000 4000 8000
    # waits by the numbers of Fibonacci
      - { name: a, run: x, retry: { limit: 5, backoff: fibonacci, base: 1s, jitter: none } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1 | exit 1
    a succeeded
    delays: 1000 1000 2000 3000 5000
    # never waits longer than its maximum
      - { name: a, run: x, retry: { limit: 4, backoff: exponential, base: 1s, max: 3s, jitter: none } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1
    a succeeded
    delays: 1000 2000 3000 3000
    # is none where nothing asks for one
      - { name: a, run: x }
    ---
    job x: exit 1
    a failed exit
    => failed
    commands: x
    # is made as often as its limit says
      - { name: a, run: x, retry: 2 }
    ---
    job x: exit 1 | exit 1 | exit 1
    a failed exit
    => failed
    commands: x x x
    # is made as often as its limit says, also where that is once
      - { name: b, run: y, retry: 1 }
    ---
    job y: exit 1 | exit 1
    b failed exit
    => failed
    commands: y y
    # is made for every failure where none is listed [exit_3 signal_9 preempted node-failed out-of-memory]
      - { name: a, run: x, retry: { limit: 1, base: 1s, jitter: none } }
    ---
    job x: {N}
    a succeeded
    delays: 1000
    commands: x x
    # is not made for another code than those listed [1 4 255]
      - { name: a, run: x, retry: { limit: 3, on: [{ exit: [2, 3] }] } }
    ---
    job x: exit {N}
    a failed exit
    => failed
    commands: x
    # is made for a code that is listed [2 3]
      - { name: a, run: x, retry: { limit: 3, base: 1s, jitter: none, on: [{ exit: [2, 3] }] } }
    ---
    job x: exit {N}
    a succeeded
    commands: x x
    # is made for a signal that is listed
      - { name: a, run: x, retry: { limit: 3, base: 1s, on: [{ signal: SIGTERM }] } }
    ---
    job x: signal 15
    a succeeded
    commands: x x
    # is not made for another signal [2 9]
      - { name: a, run: x, retry: { limit: 3, on: [{ signal: SIGTERM }] } }
    ---
    job x: signal {N}
    a failed signal
    => failed
    commands: x
    # is made for a word that is listed [node-failed preempted out-of-memory lost]
      - { name: a, run: x, retry: { limit: 1, base: 1s, on: [{N}] } }
    ---
    job x: {N}
    a succeeded
    commands: x x
    # is not made for a word where another is listed [preempted out-of-memory lost]
      - { name: a, run: x, retry: { limit: 1, on: [node-failed] } }
    ---
    job x: {N}
    a failed {N}
    => failed
    commands: x
    # is made for a time limit where it is listed
      - { name: a, run: x, timeout: 5s, retry: { limit: 1, base: 1s, jitter: none, on: [timeout] } }
    ---
    job x: hangs
    a succeeded
    delays: 5000 1000
    # is not made for a time limit where it is not
      - { name: a, run: x, timeout: 5s, retry: { limit: 1, on: [{ exit: 1 }] } }
    ---
    job x: hangs
    a failed timeout
    => failed
    commands: x
    # is made for a result of the wrong type
      - { name: a, run: x, result: int, retry: { limit: 1, base: 1s, on: [{ error: result-mismatch }] } }
    ---
    job x: prints true | prints 3
    a succeeded
    commands: x x
    # leaves no time for another attempt beyond its deadline
      - { name: a, run: x, retry: { limit: 9, backoff: constant, base: 4s, jitter: none, deadline: 10s } }
    ---
    job x: exit 1 | exit 1 | exit 1 | exit 1
    a failed exit
    => failed
    commands: x x x
    # that waits takes no slot
    concurrency: 1
    operations:
      - { name: a, run: x, retry: { limit: 1, base: 1h, jitter: none } }
      - { name: b, run: b }
    ---
    job x: exit 1
    a succeeded
    b succeeded
    most: 1
    # is free for what has not begun
      - { name: a, run: x }
    ---
    job x: not-begun | ok
    a succeeded
    commands: x x
    delays: 1000
    """
}

@Suite("In memory: gates", .timeLimit(.minutes(1))) struct GatesInMemoryTests {
  @Test("a gate", arguments: EngineCase.read(cases)) func gates(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # that is open lets its operation run
      - { name: a, run: x, run_when: always }
    ---
    a succeeded
    commands: x
    # that is closed skips its operation where it says so
      - { name: a, run: x, run_when: never, otherwise: skip }
      - { name: b, needs: a, run: b }
    ---
    a skipped run_when
    b skipped dependency-skipped
    commands:
    # that is closed fails its operation where it says so
      - { name: a, run: x, run_when: never, otherwise: fail }
      - { name: b, needs: a, run: b }
    ---
    a failed gate-closed
    b cancelled dependency-failed
    => failed
    commands:
    # is a formula [always_||_never always_&&_always !never !(never_||_never)]
      - { name: a, run: x, run_when: "{N}" }
    ---
    a succeeded
    commands: x
    """
}
