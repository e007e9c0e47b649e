import Foundation

/// The texts that the fuzzers start from.
enum Corpus {
  /// Pipeline files of the project, and one that uses every key of the language.
  static let pipelines: [[UInt8]] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    var texts = [Array(everything.utf8), Array(small.utf8), Array("operations: [{name: a, value: 1}]".utf8)]
    for folder in ["examples", "Tests/Conformance"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      // Sorted, because a seed must select the same file everywhere.
      for name in (files?.compactMap { $0 as? String } ?? []).filter({ $0.hasSuffix(".yaml") }).sorted() {
        guard let text = FileManager.default.contents(atPath: root.appendingPathComponent(folder + "/" + name).path)
        else { continue }
        if text.count < 32 << 10 { texts.append(Array(text)) }
      }
    }
    return texts
  }()

  /// Host files.
  static let hosts: [[UInt8]] = [
    Array(
      """
      pipelines: [ci, /srv/pipelines, one.yaml]
      workspace: data
      limits: { runs: 8, processes: 16, queued: 1000 }
      queues:
        default: {}
        heavy: { runs: 1 }
      resources: { gpu: 1, licence: 3 }
      environment: { pass: [PATH, HOME], set: { LC_ALL: C.UTF-8, N: 5 } }
      on_restart: leave
      drain: 10m
      retention: { keep: 500, older_than: 90d }
      x-anchors: &anchor { runs: 2 }

      """.utf8),
    Array("x-q: &q { runs: 2 }\nqueues: { a: *q, b: *q }\nlimits: *q\n".utf8), Array("# nothing\n".utf8),
  ]

  private static let small = """
    name: small
    operations:
      - name: list
        run: printf '[1, 2, 3]'
        result: [int]
      - name: sum
        inject: list
        run: cat
        result: [int]
      - name: show
        needs: [sum]
        inject: { first: "${{ results.list[0] }}", all: "${{ join(results.sum, ', ') }}" }
        run: printf '%s of %s' "$first" "$all"
    """

  private static let everything = """
    name: everything
    description: Has every key of the language.
    params:
      feed: { type: string, default: here, description: Where it lives, pattern: "[a-z]+" }
      limit: { type: int, default: 20, min: 1, max: 500 }
      kind: { type: string, enum: [a, b], default: a }
      shape: { type: "{name: string, tags?: [string]}", default: { name: x } }
    env: { LC_ALL: C, FEED: "${{ params.feed }}" }
    secrets: { token: { env: TOKEN }, key: { file: ./key }, code: { command: [true] } }
    defaults: { timeout: 30s, grace: 1s, retry: 0, env: { A: b }, directory: ., shell: [/bin/sh, -e, -c] }
    concurrency: 2
    order: graph
    overlap: queue
    resources: { gpu: 2 }
    timeout: 1h
    operations:
      - name: fetch
        description: Gets the list.
        run: |
          printf '%s' '[{"tag": "v1", "draft": false}, {"tag": "v2"}]'
        result: [{ tag: string, draft?: bool }]
        retry: { limit: 2, backoff: decorrelated, base: 1ms, max: 5ms, jitter: equal, deadline: 1m, on: [{ exit: [1, 2] }, timeout, { signal: SIGKILL }] }
      - name: count
        inject: fetch
        requires: [json]
        command: [cat]
        result: json
      - name: shape
        value: { total: "${{ length(results.fetch) }}", tags: "${{ results.fetch.*.tag }}", is: "${{ params.limit > 3 && 'big' || 'small' }}" }
        result: { total: int, tags: [string], is: string }
      - name: each
        for_each: { in: "${{ results.fetch }}", as: release, concurrency: 2 }
        when: ${{ !release.draft }}
        inject: { tag: "${{ release.tag }}" }
        command: [echo, --tag, "${{ release.tag }}"]
        exclusive: disk-${{ release.tag }}
        resources: { gpu: 1 }
      - name: grid
        matrix: { os: [linux, mac], version: [1, 2.5, true, null] }
        value: "${{ item.os }}-${{ item.version }}"
      - name: again
        value: ${{ results.again || 0 }}
        repeat: { until: "${{ true }}", every: 1ms, limit: 3 }
      - { name: pause, wait: 1ms }
      - { name: moment, wait: { until: "2026-01-31T08:00:00Z" } }
      - { name: ask, approve: { message: "Publish ${{ results.shape.total }}?" }, when: "${{ false }}" }
      - { name: say, needs: [each, grid, again, pause, moment, ask], stdin: "${{ toJSON(results.shape) }}", run: cat, env: { X: "${{ env.FEED }}" }, stale_after: 1h, allow_failure: true }
    after:
      success: [{ name: well, run: "true" }]
      failure: [{ name: badly, command: [echo, "${{ toJSON(errors) }}"] }]
      cancel: [{ name: over, run: "true" }]
      always: [{ name: end, value: "${{ operations.fetch.state }}" }]
    """

  /// Expressions, each with some elements of the grammar.
  static let expressions: [[UInt8]] = [
    "1", "-1.5e3", "0xff", "'it''s'", "true && false || null", "!(a == 'A') != true", "results.fetch[0].tag",
    "results.*.tag",
    "results['fetch'][results.count - 1]", "format('{0} of {{1}} {1}', 'a', toJSON(params))",
    "contains(fromJSON('[1,2]'), 2)",
    "join(results.fetch.*.tag, ', ')", "case(params.limit > 3, 'big', params.limit > 1, 'mid', 'small')",
    "length(keys(params))",
    "first(results.list) <= last(results.list)", "startsWith(params.feed, 'h') && endsWith(params.feed, 'e')",
    "success() && !cancelled() || failure() || always()", "params.limit >= 1 && params.limit < 500",
    "fromJSON(params.json).a.b[0]",
    "toJSON(fromJSON(toJSON(results)))", "item.name || 'none'", "((((1))))", "null == 0", "'abc' < 'ABD'", "NaN == NaN",
    "results.deep.*.*.x",
    "results.list[length(results.list) - 1] * 2 + params.limit % 3 / 7", "[1, 'a', [], [null]][2]",
    "formatDate(addDuration('2026-11-01', '-7d'), '%F %T %j %V %u %z', 'Europe/Berlin')",
    "hashFiles('**/*.swift')", "contains('Hello', 'ell') == true", "format('{0}', format('{0}', format('{0}', 1)))",
  ].map { Array($0.utf8) }
}
