import Testing

@Suite("In memory: values", .timeLimit(.minutes(1))) struct ValuesInMemoryTests {
  @Test("a value", arguments: EngineCase.read(cases)) func passes(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # that was printed is one argument [7 2.5 true [1,2] {"k":1}]
      - { name: a, run: x, result: json }
      - { name: b, command: [tool, "${{ results.a }}"] }
    ---
    job x: prints {N}
    a succeeded
    b succeeded
    commands: x {N}
    # is one argument, whatever is in it
      - { name: a, run: x, result: string }
      - { name: b, command: [tool, "<${{ results.a }}>"] }
    ---
    job x: prints a b; c $d
    a succeeded
    b succeeded
    commands: x <a b; c $d>
    # of a field is had by its name
      - { name: a, run: x, result: { tag: string, size?: int } }
      - { name: b, command: [tool, "${{ results.a.tag }}"] }
    ---
    job x: prints {"tag":"v2"}
    a succeeded
    b succeeded
    commands: x v2
    # without a required field is a mismatch
      - { name: a, run: x, result: { tag: string, size?: int } }
    ---
    job x: prints {"size":2}
    a failed result-mismatch
    => failed
    # that is no JSON is invalid where JSON is declared [int bool json]
      - { name: a, run: x, result: {N} }
    ---
    job x: prints not json
    a failed result-invalid
    => failed
    # in an environment is text [7 true text]
      - { name: a, value: {N} }
      - { name: b, env: { V: "${{ results.a }}" }, command: [tool, "${{ env.V }}"] }
    ---
    a succeeded
    b succeeded
    commands: {N}
    # that cannot be computed fails its operation
      - { name: a, run: x, result: json }
      - { name: b, value: "${{ fromJSON(results.a) }}" }
      - { name: c, needs: b, run: c }
    ---
    job x: prints "{"
    a succeeded
    b failed expression
    c cancelled dependency-failed
    => failed
    commands: x
    # of a failed operation is null to one that runs anyway
      - { name: a, run: x }
      - { name: b, needs: a, when: always(), command: [tool, "${{ results.a == null }}"] }
    ---
    job x: exit 1
    a failed exit
    b succeeded
    => failed
    commands: x true
    # of a loop that may fail is null for each item that failed
      - { name: a, for_each: { in: [x, y], as: it, concurrency: 1 }, allow_failure: true, command: [tool, "${{ it }}"] }
      - { name: b, command: [tool, "${{ results.a[0] == null }}-${{ results.a[1] }}"] }
    ---
    job x: exit 1
    job y: prints two
    a failed items-failed
    b succeeded
    a[0] failed exit
    a[1] succeeded
    commands: x y true-two
    # decides conditions
      - { name: a, value: 3 }
      - { name: b, when: "${{ results.a > 2 }}", run: b }
      - { name: c, when: "${{ results.a > 3 }}", run: c }
    ---
    a succeeded
    b succeeded
    c skipped condition
    commands: b
    """
}
