import Testing

@Suite("In memory: scheduling", .timeLimit(.minutes(1))) struct SchedulingInMemoryTests {
  @Test("operations start", arguments: EngineCase.read(cases)) func starts(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # as many at once as there are slots [1 2 3 4]
    concurrency: {N}
    operations: [{ name: a, run: a }, { name: b, run: b }, { name: c, run: c }, { name: d, run: d }]
    ---
    a succeeded
    b succeeded
    c succeeded
    d succeeded
    commands: a b c d
    most: {N}
    # after what they need, whatever the order of the file
      - { name: c, needs: [a, b], run: c }
      - { name: b, needs: a, run: b }
      - { name: a, run: a }
    ---
    c succeeded
    b succeeded
    a succeeded
    commands: a b c
    most: 1
    # one after another in a chain of slots [1 4]
    order: chain
    concurrency: {N}
    operations: [{ name: a, run: a }, { name: b, run: b }, { name: c, run: c }]
    ---
    a succeeded
    b succeeded
    c succeeded
    commands: a b c
    most: 1
    # no further in a chain than to a failure
    order: chain
    operations: [{ name: a, run: a }, { name: b, run: b }, { name: c, run: c }]
    ---
    job b: exit 1
    a succeeded
    b failed exit
    c cancelled dependency-failed
    => failed
    commands: a b
    # as soon as their own dependencies have ended
    concurrency: 1
    operations:
      - { name: slow, run: slow, retry: { limit: 1, base: 1s, jitter: none } }
      - { name: quick, run: quick }
      - { name: after-slow, needs: slow, run: after-slow }
      - { name: after-quick, needs: quick, run: after-quick }
    ---
    job slow: exit 1
    slow succeeded
    quick succeeded
    after-slow succeeded
    after-quick succeeded
    delays: 1000
    most: 1
    # once, where a diamond joins
      - { name: top, run: top }
      - { name: left, needs: top, run: left }
      - { name: right, needs: top, run: right }
      - { name: bottom, needs: [left, right], run: bottom }
    ---
    top succeeded
    left succeeded
    right succeeded
    bottom succeeded
    commands: top left right bottom
    # without a job where they are values
      - { name: a, value: 1 }
      - { name: b, value: "${{ results.a == 1 }}" }
    ---
    a succeeded
    b succeeded
    commands:
    # one at a time where each takes all of a resource
    concurrency: 4
    resources: { gpu: 2 }
    operations:
      - { name: a, run: a, resources: { gpu: 2 } }
      - { name: b, run: b, resources: { gpu: 2 } }
      - { name: c, run: c, resources: { gpu: 2 } }
    ---
    a succeeded
    b succeeded
    c succeeded
    commands: a b c
    most: 1
    # together as far as a resource goes [1 2 3]
    concurrency: 4
    resources: { gpu: {N} }
    operations:
      - { name: a, run: a, resources: { gpu: 1 } }
      - { name: b, run: b, resources: { gpu: 1 } }
      - { name: c, run: c, resources: { gpu: 1 } }
    ---
    a succeeded
    b succeeded
    c succeeded
    most: {N}
    # one at a time under one exclusive name
    concurrency: 4
    operations:
      - { name: a, run: a, exclusive: disk }
      - { name: b, run: b, exclusive: disk }
      - { name: c, run: c, exclusive: disk }
    ---
    a succeeded
    b succeeded
    c succeeded
    commands: a b c
    most: 1
    # after a failed holder of their exclusive name
      - { name: a, run: a, exclusive: disk }
      - { name: b, run: b, exclusive: disk }
    ---
    job a: exit 1
    a failed exit
    b succeeded
    => failed
    commands: a b
    # not under an empty exclusive name
      - { name: a, run: a, exclusive: "${{ '' }}" }
    ---
    a failed value-mismatch
    => failed
    commands:
    # while others wait for a time, which takes no slot
    concurrency: 1
    operations: [{ name: pause, wait: 1h }, { name: a, run: a }]
    ---
    pause succeeded
    a succeeded
    commands: a
    delays: 3600000
    # with what their dependencies have printed
      - { name: a, run: a }
      - { name: b, command: [tool, "${{ results.a }}"] }
    ---
    job a: prints hello
    a succeeded
    b succeeded
    commands: a hello
    # never with less than a declared type [7 [1,2] {}]
      - { name: a, run: a, result: bool }
      - { name: b, command: [tool, "${{ results.a }}"] }
    ---
    job a: prints {N}
    a failed result-mismatch
    b cancelled dependency-failed
    => failed
    commands: a
    """
}

@Suite("In memory: loops", .timeLimit(.minutes(1))) struct LoopsInMemoryTests {
  @Test("a loop", arguments: EngineCase.read(cases)) func loops(_ engineCase: EngineCase) async throws {
    try await engineCase.check()
  }

  private static let cases = """
    # runs so many items at once [1 2 3]
    concurrency: 8
    operations: [{ name: a, for_each: { in: [1, 2, 3], concurrency: {N} }, run: x }]
    ---
    a succeeded
    a[0] succeeded
    a[1] succeeded
    a[2] succeeded
    most: {N}
    # of nothing starts nothing
      - { name: a, for_each: { in: [] }, run: x }
    ---
    a succeeded
    commands:
    # gives each item its value
      - { name: a, for_each: { in: [x, y], as: it, concurrency: 1 }, command: [tool, "${{ it }}"] }
    ---
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: x y
    # fails where an item fails, and runs the others
      - { name: a, for_each: { in: [x, y, z], as: it, concurrency: 1 }, command: [tool, "${{ it }}"] }
    ---
    job y: exit 1
    a failed items-failed
    a[0] succeeded
    a[1] failed exit
    a[2] succeeded
    => failed
    commands: x y z
    # retries each item by itself
      - { name: a, for_each: { in: [x, y], as: it, concurrency: 1 }, command: [tool, "${{ it }}"], retry: { limit: 1, base: 1s, jitter: none } }
    ---
    job y: exit 1
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: x y y
    delays: 1000
    # skips items whose condition is false
      - { name: a, for_each: { in: [1, 2, 3], as: it, concurrency: 1 }, when: "${{ it != 2 }}", run: x }
    ---
    a succeeded
    a[0] succeeded
    a[1] skipped condition
    a[2] succeeded
    commands: x x
    # whose items are all skipped has a list of nothings
      - { name: a, for_each: { in: [1, 2], as: it }, when: "${{ it > 5 }}", run: x, result: int }
      - { name: b, command: [tool, "${{ results.a }}"] }
    ---
    a succeeded
    b succeeded
    a[0] skipped condition
    a[1] skipped condition
    commands: [null,null]
    # is skipped as a whole by a condition without the item
      - { name: a, for_each: { in: [1, 2] }, when: "${{ false }}", run: x }
    ---
    a skipped condition
    commands:
    # over a result that is no list fails [7 {} true]
      - { name: list, run: list, result: json }
      - { name: a, for_each: { in: "${{ results.list }}" }, run: x }
    ---
    job list: prints {N}
    list succeeded
    a failed value-mismatch
    => failed
    commands: list
    # over a result takes its items
      - { name: list, run: list, result: [int] }
      - { name: a, for_each: { in: "${{ results.list }}" }, run: x }
    ---
    job list: prints [1,2]
    list succeeded
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: list x x
    # with a matrix runs all combinations
      - { name: a, matrix: { os: [l, m], arch: [x, y] }, run: x }
    ---
    a succeeded
    a[0] succeeded
    a[1] succeeded
    a[2] succeeded
    a[3] succeeded
    commands: x x x x
    # with a matrix leaves out and adds combinations
      - { name: a, matrix: { os: [l, m], arch: [x, y], exclude: [{ os: m, arch: y }], include: [{ os: w }] }, value: "${{ item.os }}" }
    ---
    a succeeded
    a[0] succeeded
    a[1] succeeded
    a[2] succeeded
    a[3] succeeded
    # with a matrix whose entries are computed and are none fails
      - { name: list, run: list, result: json }
      - { name: a, matrix: { os: [l], include: results.list }, run: x }
    ---
    job list: prints [1]
    list succeeded
    a failed value-mismatch
    => failed
    commands: list
    # over a bare expression takes its items
      - { name: list, run: list, result: [int] }
      - { name: a, for_each: results.list, run: x }
    ---
    job list: prints [1,2]
    list succeeded
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: list x x
    # that fails fast begins no further items
      - { name: a, for_each: { in: [1, 2, 3], concurrency: 1 }, fail_fast: true, run: x }
    ---
    job x: exit 0 | exit 1
    a failed items-failed
    a[0] succeeded
    a[1] failed exit
    a[2] cancelled items-failed
    => failed
    commands: x x
    # that fails fast cancels the items that are running
      - { name: a, for_each: [y, x, z], fail_fast: true, command: [tool, "${{ item }}"] }
    ---
    job y: hangs
    job x: exit 1
    a failed items-failed
    a[0] cancelled items-failed
    a[1] failed exit
    a[2] cancelled items-failed
    => failed
    # with a number of failures begins no further items after that
    concurrency: 1
    operations:
      - { name: a, matrix: { n: [1, 2, 3, 4, 5] }, max_failures: 2, run: x }
      - { name: b, needs: a, run: b }
    ---
    job x: exit 1 | exit 0 | exit 1
    a failed items-failed
    b cancelled dependency-failed
    a[0] failed exit
    a[1] succeeded
    a[2] failed exit
    a[3] cancelled items-failed
    a[4] cancelled items-failed
    => failed
    commands: x x x
    # with a number of failures that is not reached runs all items
    concurrency: 1
    operations:
      - { name: a, for_each: [1, 2, 3], max_failures: 3, run: x }
    ---
    job x: exit 1 | exit 0 | exit 1
    a failed items-failed
    a[0] failed exit
    a[1] succeeded
    a[2] failed exit
    => failed
    commands: x x x
    # counts an item that is retried once it has failed for good
      - { name: a, for_each: { in: [1, 2], concurrency: 1 }, fail_fast: true, run: x, retry: { limit: 1, base: 1s, jitter: none } }
    ---
    job x: exit 1 | exit 0 | exit 0
    a succeeded
    a[0] succeeded
    a[1] succeeded
    commands: x x x
    delays: 1000
    # that fails fast and may fail lets its dependents run
      - { name: a, for_each: { in: [1, 2], concurrency: 1 }, fail_fast: true, run: x, allow_failure: true }
      - { name: b, needs: a, run: b }
    ---
    job x: exit 1
    a failed items-failed
    b succeeded
    a[0] failed exit
    a[1] cancelled items-failed
    commands: x b
    # that may fail lets its dependents run
      - { name: a, for_each: { in: [1] }, run: x, allow_failure: true }
      - { name: b, needs: a, run: b }
    ---
    job x: exit 1
    a failed items-failed
    b succeeded
    a[0] failed exit
    commands: x b
    # hands each round the result of the one before
      - { name: a, command: [tool, "${{ previous || 'first' }}"], result: int, repeat: { until: "results.a == previous", limit: 9 } }
    ---
    job first: prints 1
    job 1: prints 2
    job 2: exit 1 | prints 2
    a failed exit
    => failed
    commands: first 1 2
    # hands a round that is retried the same previous result
      - { name: a, command: [tool, "${{ previous || 'first' }}"], result: int, retry: { limit: 1, base: 1s, jitter: none }, repeat: { until: "results.a == previous", limit: 9 } }
    ---
    job first: prints 1
    job 1: prints 2
    job 2: exit 1 | prints 2
    a succeeded
    commands: first 1 2 2
    delays: 0 0 1000
    # repeats until its condition holds
      - { name: a, run: x, result: int, repeat: { until: "${{ results.a > 2 }}", every: 5s, limit: 9 } }
    ---
    job x: prints 1 | prints 2 | prints 3
    a succeeded
    commands: x x x
    delays: 5000 5000
    # repeats no more often than its limit
      - { name: a, run: x, result: int, repeat: { until: "${{ results.a > 2 }}", every: 5s, limit: 2 } }
    ---
    job x: prints 1 | prints 1 | prints 1
    a failed repeat-limit-reached
    => failed
    commands: x x
    """
}
