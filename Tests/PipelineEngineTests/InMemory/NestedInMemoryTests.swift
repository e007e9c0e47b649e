import Testing

@Suite("In memory: nested pipelines", .timeLimit(.minutes(1))) struct NestedInMemoryTests {
  @Test("a nested pipeline", arguments: EngineCase.read(cases)) func nests(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # takes its params in and gives its results out
      - { name: a, pipeline: inner.yaml, params: { n: 4 } }
      - { name: b, command: [tool, "${{ results.a.is-large }}"] }
    === inner.yaml
    params: { n: int }
    operations: [{ name: is-large, value: "${{ params.n > 3 }}" }]
    ---
    a succeeded
    b succeeded
    commands: true
    # fails the operation outside where it fails
      - { name: a, pipeline: inner.yaml }
      - { name: b, needs: a, run: b }
    === inner.yaml
    operations: [{ name: i, run: x }, { name: j, needs: i, run: y }]
    ---
    job x: exit 3
    a failed nested-failed
    b cancelled dependency-failed
    => failed
    commands: x
    # that fails is allowed to where it says so
      - { name: a, pipeline: inner.yaml, allow_failure: true }
      - { name: b, needs: a, run: b }
    === inner.yaml
    operations: [{ name: i, run: x }]
    ---
    job x: exit 3
    a failed nested-failed
    b succeeded
    commands: x b
    # is retried as a whole
      - { name: a, pipeline: inner.yaml, retry: { limit: 1, base: 1s, jitter: none } }
    === inner.yaml
    operations: [{ name: i, run: x }, { name: j, needs: i, run: y }]
    ---
    job y: exit 1
    a succeeded
    commands: x y x y
    delays: 1000
    # retries its own operations by itself
      - { name: a, pipeline: inner.yaml }
    === inner.yaml
    operations: [{ name: i, run: x, retry: { limit: 1, base: 2s, jitter: none } }]
    ---
    job x: exit 1
    a succeeded
    commands: x x
    delays: 2000
    # has slots of its own [1 2 3]
    concurrency: 1
    operations: [{ name: a, pipeline: inner.yaml }]
    === inner.yaml
    concurrency: {N}
    operations: [{ name: i, run: x }, { name: j, run: y }, { name: k, run: z }]
    ---
    a succeeded
    commands: x y z
    most: {N}
    # takes a slot of the run around it
    concurrency: 1
    operations: [{ name: a, pipeline: inner.yaml }, { name: b, run: b }]
    === inner.yaml
    operations: [{ name: i, run: x }]
    ---
    a succeeded
    b succeeded
    commands: x b
    most: 1
    # runs its handlers
      - { name: a, pipeline: inner.yaml }
      - { name: b, needs: a, run: b }
    === inner.yaml
    operations: [{ name: i, run: x }]
    after: { success: [{ name: s, run: s }], failure: [{ name: f, run: f }] }
    ---
    a succeeded
    b succeeded
    commands: x s b
    # with a failed handler has failed
      - { name: a, pipeline: inner.yaml }
    === inner.yaml
    operations: [{ name: i, run: x }]
    after: { success: [{ name: s, run: s }] }
    ---
    job s: exit 1
    a failed nested-failed
    => failed
    commands: x s
    # may have another inside
      - { name: a, pipeline: inner.yaml }
      - { name: b, command: [tool, "${{ results.a.i.deep }}"] }
    === inner.yaml
    operations: [{ name: i, pipeline: innermost.yaml }]
    === innermost.yaml
    operations: [{ name: deep, run: x }]
    ---
    job x: prints depth
    a succeeded
    b succeeded
    commands: x depth
    # that fails far inside fails all around it
      - { name: a, pipeline: inner.yaml }
    === inner.yaml
    operations: [{ name: i, pipeline: innermost.yaml }, { name: j, needs: i, run: y }]
    === innermost.yaml
    operations: [{ name: deep, run: x }]
    ---
    job x: exit 1
    a failed nested-failed
    => failed
    commands: x
    # runs for each item of a loop
      - { name: a, for_each: { in: [x, y], as: it, concurrency: 1 }, pipeline: inner.yaml, params: { job: "${{ it }}" } }
    === inner.yaml
    params: { job: string }
    operations: [{ name: i, command: [tool, "${{ params.job }}"] }]
    ---
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: x y
    # is not begun with a param of the wrong type
      - { name: p, run: p, result: json }
      - { name: a, pipeline: inner.yaml, params: { n: "${{ results.p }}" } }
    === inner.yaml
    params: { n: int }
    operations: [{ name: i, run: x }]
    ---
    job p: prints "text"
    p succeeded
    a failed invalid-param
    => failed
    commands: p
    # that is skipped begins nothing
      - { name: a, pipeline: inner.yaml, when: "${{ false }}" }
    === inner.yaml
    operations: [{ name: i, run: x }]
    ---
    a skipped condition
    commands:
    # is within an exclusive name that its operation holds
      - { name: a, pipeline: inner.yaml, exclusive: disk }
    === inner.yaml
    operations: [{ name: i, run: x, exclusive: disk }]
    ---
    a succeeded
    commands: x
    # takes turns with others for an exclusive name
    concurrency: 4
    operations: [{ name: a, pipeline: inner.yaml }, { name: b, pipeline: inner.yaml }]
    === inner.yaml
    operations: [{ name: i, run: x, exclusive: disk }, { name: j, run: y, exclusive: disk }]
    ---
    a succeeded
    b succeeded
    most: 1
    """
}
