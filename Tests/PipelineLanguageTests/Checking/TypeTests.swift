import Testing

@testable import PipelineLanguage

@Suite("Types")
struct TypeTests {
  @Test("a reference into a result is checked against its type")
  func members() {
    let found = findings(
      """
      operations:
        - { name: fetch, run: ls, result: [{ tag: string, draft?: bool }] }
        - { name: a, value: "${{ results.fetch[0].tag }}" }
        - { name: b, value: "${{ results.fetch[0].tgo }}" }
      """)
    #expect(
      found == ["4:45 unknown-member 'results.fetch[0]' has no member 'tgo' (its members are tag, draft)"])
  }

  @Test(
    "an undeclared process result compared with a boolean, or used as a condition, yields a warning",
    arguments: [
      "when: ${{ results.a == true }}", "when: ${{ params.flag != results.A }}", "when: ${{ (1 > 2) == results.a }}",
      "when: results.a", "when: ${{ !results.a && success() }}", "when: ${{ params.flag || results.a }}",
    ])
  func undeclaredTruth(key: String) {
    let found = findings(
      """
      params: { flag: { type: bool } }
      operations:
        - { name: a, run: ls }
        - name: b
          value: 1
          \(key)
      """)
    #expect(found.count == 1 && found[0].contains(" warning undeclared-result 'a' declares no result"), "\(found)")
  }

  @Test(
    "an undeclared process result used as text yields no warning",
    arguments: [
      "when: ${{ results.a == 'true' }}", "when: ${{ results.a > 3 }}", "when: ${{ results.a.flag == true }}",
      "when: ${{ results.each[0] == true }}", "when: ${{ results.declared == true }}", "when: results.declared",
      "when: ${{ results.a == null }}", "when: ${{ (results.a || '') != '' }}",
      "when: ${{ always() && results.a }}", "when: results.lax",
    ])
  func undeclaredText(key: String) {
    let found = findings(
      """
      operations:
        - { name: a, run: ls }
        - { name: declared, run: ls, result: bool }
        - { name: each, run: ls, for_each: [1] }
        - { name: lax, run: ls, allow_failure: true }
        - name: b
          value: 1
          \(key)
      """)
    #expect(found == [])
  }

  @Test(
    "an undeclared process result cannot be used as a number",
    arguments: [
      ("value: '${{ 1 + results.a }}'", "'+' computes with numbers, but 'a' declares no result, so its result is text"),
      ("{ inject: a, requires: int, run: cat }", "requires int, but 'a' gives json: 'a' declares no result"),
      (
        "{ inject: '${{ results.a }}', requires: bool, run: cat }",
        "requires bool, but 'inject' gives json: 'a' declares"
      ),
      ("{ inject: { n: '${{ results.a }}' }, requires: { n: int }, run: ls }", ": in 'n', 'a' declares no result"),
      ("{ value: '${{ results.a }}', result: number }", "but its value is json: 'a' declares no result"),
    ])
  func undeclaredNumber(keys: String, message: String) {
    let keys = keys.hasPrefix("{") ? keys.dropFirst().dropLast() : keys[...]
    let found = findings("operations: [{ name: a, run: ls }, { name: b, \(keys) }]")
    #expect(found.count == 1 && found[0].contains("type-mismatch") && found[0].contains(message), "\(found)")
  }

  @Test("artifacts have the type of their paths: a file or a list of files, and a list per item in a loop")
  func artifacts() {
    #expect(
      findings(
        """
        operations:
          - { name: a, run: ls, artifacts: { app: out/app, logs: "out/*.log" } }
          - { name: each, run: ls, for_each: [1], artifacts: { app: "app-${{ item }}" } }
          - { name: fine, run: cat, inject: "${{ artifacts.a.app }}", requires: file }
          - { name: list, run: cat, inject: "${{ artifacts.a.logs }}", requires: file }
          - { name: item, value: "${{ artifacts.each.app }}" }
          - { name: none, value: "${{ artifacts.a.ap }}" }
          - { name: other, value: "${{ artifacts.fine.app }}" }
          - { name: far, value: "${{ artifacts.b.app }}" }
        """) == [
          "5:37 type-mismatch operation 'list' requires file, but 'inject' gives [file]",
          "6:46 no-members 'artifacts.each' is a list and has no member 'app' (did you mean 'artifacts.each[0].app' or 'artifacts.each.*.app'?)",
          "7:43 unknown-member 'artifacts.a' has no member 'ap' (did you mean 'artifacts.a.app'?)",
          "8:42 unknown-member 'artifacts' has no member 'fine'",
          "9:30 unknown-operation there is no operation 'b'",
        ])
  }

  @Test(
    "the path of an artifact must be below the directory",
    arguments: [
      ("{ a: /etc/passwd }", "3:21 invalid-artifact the path of the artifact 'a' is absolute"),
      ("{ a: ../a }", "3:21 invalid-artifact the path of the artifact 'a' leads out of the directory with '..'"),
      ("{ a: ./ }", "3:21 invalid-artifact the path of the artifact 'a' is the directory itself"),
      ("{ 1a: b }", "3:18 invalid-name '1a' cannot be an artifact's name"),
      (
        "a", "3:16 wrong-form 'artifacts' needs a mapping of names to paths, found 'a' (name it, as in '{ report: a }')"
      ),
    ])
  func artifactPaths(artifacts: String, finding: String) {
    let found = findings(inOperation: "run: ls\n    artifacts: \(artifacts)")
    #expect(found.count == 1 && found[0].dropFirst(2).hasPrefix(finding.dropFirst(2)), "\(found)")
  }

  @Test(
    "an unclosed bracket in the path of an artifact is not a wildcard",
    arguments: [("a[1].txt", true), ("a[1.txt", false), ("a[/b]", false), ("a]", false), ("a?", true), ("x/*", true)])
  func unclosedBrackets(path: String, isPattern: Bool) {
    #expect(ArtifactPath.isPattern(path) == isPattern)
  }

  @Test("the path of an artifact must not contain a secret")
  func artifactSecrets() {
    let found = findings(
      """
      secrets: { s: { env: S } }
      operations: [{ name: a, run: ls, artifacts: { a: "x-${{ secrets.s }}" } }]
      """)
    #expect(found.count == 1 && found[0].contains("secret-exposed a secret cannot be used in 'artifacts'"), "\(found)")
  }

  @Test("an error has the same members as in a run, with their types")
  func errorMembers() {
    #expect(
      findings(
        """
        operations:
          - { name: a, run: ls }
          - { name: b, value: "${{ errors.a.signal || errors.a.exit_code || errors.a.status }}" }
          - { name: c, value: "${{ errors.a.signal }}", result: int }
          - { name: d, value: "${{ errors.a.signl }}" }
        """) == [
          "4:23 type-mismatch operation 'c' declares int, but its value is string",
          "5:37 unknown-member 'errors.a' has no member 'signl' (did you mean 'errors.a.signal'?)",
        ])
  }

  @Test("injected values must be of the required type")
  func injections() {
    #expect(
      findings(
        """
        operations:
          - { name: fetch, run: ls, result: [string] }
          - { name: count, run: ls, inject: fetch, requires: int }
          - { name: some, run: ls, inject: "${{ length(results.fetch) }}", requires: string }
          - { name: named, run: ls, inject: { n: "${{ results.fetch }}" }, requires: { n: [int] } }
          - { name: more, run: ls, inject: { n: a }, requires: { n: string, m: int } }
          - { name: none, run: ls, requires: int }
          - { name: fine, run: ls, inject: fetch, requires: [string] }
          - { name: open, run: ls, inject: untyped, requires: int }
          - { name: untyped, run: ls, result: json }
        """) == [
          "3:37 type-mismatch operation 'count' requires int, but 'fetch' gives [string]",
          "4:36 type-mismatch operation 'some' requires string, but 'inject' gives int",
          "5:37 type-mismatch operation 'named' requires {n: [int]}, but 'inject' gives {n: [string]}: .n[]: expected int, found string",
          "6:36 type-mismatch operation 'more' requires {n: string, m: int}, but 'inject' gives {n: string}: .m: expected int, found nothing",
          "7:13 nothing-injected operation 'none' requires int, but nothing is injected (add 'inject')",
        ])
  }

  @Test("the types of values are inferred, through other values")
  func inference() {
    #expect(
      findings(
        """
        operations:
          - { name: d, run: ls, inject: "${{ results.c.list }}", requires: [string] }
          - { name: c, value: { list: "${{ results.b }}", text: "a ${{ results.b[0] }}" } }
          - { name: b, value: [1, "${{ results.a }}"] }
          - { name: a, value: 2.5 }
        """) == [
          "2:33 type-mismatch operation 'd' requires [string], but 'inject' gives [number]: []: expected string, found number"
        ])
  }

  @Test("a value must be of its declared type")
  func declaredValues() {
    #expect(
      findings(
        """
        operations:
          - { name: a, value: 12, result: string }
          - { name: b, value: "${{ results.a }}", result: int }
          - { name: c, value: [x], result: [string] }
        """) == [
          "2:23 type-mismatch operation 'a' declares string, but its value is int",
          "3:23 type-mismatch operation 'b' declares int, but its value is string",
        ])
  }

  @Test("a loop's result is a list of results, and its item has the list's element type")
  func loops() {
    let found = findings(
      """
      operations:
        - { name: list, value: [{ path: a }, { path: b }] }
        - { name: each, for_each: "${{ results.list }}", command: [wc, "${{ item.path }}"], result: int }
        - { name: sum, run: ls, inject: each, requires: [int] }
        - { name: bad, for_each: { in: "${{ results.list }}", as: file }, command: [wc, "${{ file.paht }}"] }
        - { name: not, for_each: "${{ results.list[0].path }}", run: ls }
        - { name: grid, matrix: { os: [a, b], n: [1, 2] }, command: [x, "${{ item.os }}", "${{ item.m }}"] }
        - { name: outside, value: "${{ item.path }}" }
      """)
    #expect(found.map { String($0.prefix { $0 != " " }) } == ["5:93", "6:28", "7:95", "8:34"], "\(found)")
    #expect(found.contains { $0.hasPrefix("6:28 type-mismatch 'for_each' needs a list, found string") }, "\(found)")
  }

  /// Returns whether the item of a matrix has a type, according to the check of `requires`.
  private func item(of matrix: String, is type: String) -> Bool {
    let found = findings(
      """
      operations:
        - { name: a, matrix: \(matrix), uses: none.such, requires: \(type), inject: "${{ item }}" }
      """)
    return !found.contains { $0.contains("type-mismatch") }
  }

  @Test(
    "a name that only some combinations of a matrix have is optional",
    arguments: [
      ("{ os: [a, b], n: [1, 2] }", "{os: string, n: int}"),
      ("{ os: [a], include: [{ n: 1 }] }", "{os: string, n: int}"),
      ("{ os: [a], include: [{ os: b, n: 1 }] }", "{os: string, n?: int}"),
      ("{ os: [a, b], include: [{ os: a, n: 1 }] }", "{os: string, n?: int}"),
      ("{ os: [a], m: [1], include: [{ os: b, n: 1 }] }", "{os: string, m?: int, n?: int}"),
      ("{ os: [a], m: [1], include: [{ os: a, n: 1 }] }", "{os: string, m: int, n?: int}"),
      ("{ os: [a], m: [1], exclude: [{ os: a }], include: [{ os: a, n: 1 }] }", "{os: string, m?: int, n?: int}"),
      ("{ os: [a], include: [{ os: 1 }] }", "{os: json}"),
      ("{ include: [{ a: 1, b: x }, { a: 2 }] }", "{a: int, b?: string}"),
    ])
  func matrixItems(matrix: String, type: String) {
    #expect(item(of: matrix, is: "'\(type)'"))
    let strict = type.replacing("?", with: "")
    if strict != type { #expect(!item(of: matrix, is: "'\(strict)'"), "\(type) is not optional") }
  }

  @Test("a member that a matrix's item cannot have is an error, even with include")
  func matrixMembers() {
    #expect(
      findings(
        """
        operations:
          - { name: a, matrix: { os: [x], include: [{ n: 1 }] }, command: [echo, "${{ item.os }} ${{ item.n }}"] }
          - { name: b, matrix: { os: [x], include: [{ n: 1 }] }, command: [echo, "${{ item.m }}"] }
          - { name: c, matrix: { os: [x], include: "${{ results.a }}" }, command: [echo, "${{ item.m }}"] }
          - { name: d, matrix: { os: [x], include: "${{ run.id }}" }, command: [echo, "${{ item.m }}"] }
        """
      ).map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "3:84 unknown-member", "5:44 type-mismatch",
      ])
  }

  @Test("the previous result of a repeated operation has the type of its result")
  func previous() {
    #expect(
      findings(
        """
        operations:
          - { name: a, http: "http://h/${{ previous.body.next }}", repeat: { until: "results.a.body == previous.body", limit: 2 } }
          - { name: b, command: [ls, "${{ previous.n }}"], result: { n: int }, repeat: { limit: 2, until: previous.n == 1 } }
          - { name: c, command: [ls, "${{ previous.m }}"], result: { n: int }, repeat: { limit: 2 } }
          - { name: d, value: "${{ previous.m }}", repeat: { limit: 2 } }
          - { name: e, value: { n: "${{ previous.m }}" }, result: { n: json }, repeat: { limit: 2 } }
          - { name: f, http: "http://h/${{ previous.boddy }}", for_each: [1], repeat: { limit: 2 } }
        """
      ).map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "4:44 unknown-member", "6:42 unknown-member", "7:45 unknown-member",
      ])
  }

  @Test("a previous result exists only in repetitions")
  func noPrevious() {
    #expect(
      findings(
        """
        operations:
          - { name: a, value: "${{ previous }}" }
          - { name: b, run: ls, when: previous, repeat: { limit: 2 } }
          - { name: c, run: ls, for_each: previous, repeat: { limit: 2 } }
          - { name: d, run: ls, exclusive: "${{ previous }}", repeat: { limit: 2 } }
          - { name: e, run: ls, for_each: { in: [1], as: previous } }
        """) == [
          "2:28 context-not-available 'previous' is not available here: only an operation with 'repeat' has it",
          "3:31 context-not-available 'previous' is not available here: 'when' is evaluated once, before the first round",
          "4:35 context-not-available 'previous' is not available here: 'for_each' is evaluated once, before the first round",
          "5:41 context-not-available 'previous' is not available here: 'exclusive' is evaluated once, before the first round",
          "6:50 reserved-name an item cannot be called 'previous': that is a context's name",
        ])
  }

  @Test("approval results, errors, operations and run have known members")
  func contexts() {
    let found = findings(
      """
      operations:
        - { name: ask, approve: "Go?" }
        - name: b
          when: ${{ results.ask.approved && operations.ask.state == 'succeeded' }}
          env: { A: "${{ results.ask.note }} ${{ errors.ask.exit_code }} ${{ run.id }} ${{ run.directory }}" }
          run: ls
        - name: c
          env: { A: "${{ results.ask.nope }}", B: "${{ errors.ask.nope }}", C: "${{ run.nope }}" }
          run: ls
      """)
    #expect(found.map { $0.split(separator: " ")[1] } == ["unknown-member", "unknown-member", "unknown-member"])
  }

  @Test("params, env and secrets are known by name")
  func namedContexts() {
    #expect(
      findings(
        """
        params: { feed: string, limit: { type: int } }
        env: { BASE: "${{ params.feed }}", BAD: "${{ results.a }}" }
        secrets: { token: { env: T } }
        operations:
          - name: a
            env: { A: "${{ params.fed }} ${{ env.BASE }} ${{ env.BSE }}", B: "${{ secrets.tokn }}" }
            run: ls
        """) == [
          "2:46 context-not-available 'results' is not available here: this is evaluated before any operation runs",
          "6:27 unknown-member 'params' has no member 'fed' (did you mean 'params.feed'?)",
          "6:58 unknown-member 'env' has no member 'BSE' (did you mean 'env.BASE'?)",
          "6:83 unknown-member 'secrets' has no member 'tokn' (did you mean 'secrets.token'?)",
        ])
  }

  @Test("the item exists only in a loop, under the loop's name for it")
  func items() {
    #expect(
      findings(
        """
        operations:
          - { name: a, value: "${{ item }}" }
          - { name: b, value: "${{ item }}", for_each: { in: [1], as: n } }
          - { name: c, value: "${{ n }}", for_each: { in: [1], as: n } }
          - { name: d, run: ls, for_each: "${{ item }}" }
        """) == [
          "2:28 context-not-available 'item' is not available here: the operation has neither 'for_each' nor 'matrix'",
          "3:28 context-not-available 'item' is not available here: it is named 'n'",
          "5:40 context-not-available 'item' is not available here: the list is computed before there are items",
        ])
  }

  @Test("a result that cannot exist is an error")
  func noResults() {
    #expect(
      findings(
        """
        operations:
          - { name: silent, run: ls, result: none }
          - { name: pause, wait: 1s }
          - { name: a, run: ls, inject: silent }
          - { name: b, command: [echo, "${{ results.pause }}"] }
          - { name: c, command: [echo, "${{ results.pause || 'nothing' }}"], needs: silent }
        """) == [
          "4:33 no-result 'silent' has no result: it declares 'result: none' (to run after it, use 'needs: silent')",
          "5:37 no-result 'pause' has no result: it only waits (to run after it, use 'needs: pause')",
        ])
  }

  @Test("an operation that never runs yields a warning")
  func neverRuns() throws {
    let text = """
      operations:
        - { name: a, run: ls, when: false }
        - { name: b, run: ls, when: "${{ 1 > 2 }}" }
        - { name: c, run: ls, when: failure() }
        - { name: d, run: ls, when: failure(), needs: a }
        - { name: e, run: ls, when: "${{ hashFiles('x') == '' }}" }
        - { name: f, run: ls, when: cancelled() }
        - { name: g, run: ls, when: cancelled(), needs: e }
      """
    #expect(
      findings(text) == [
        "2:31 warning never-runs operation 'a' never runs: its 'when' is always false",
        "3:31 warning never-runs operation 'b' never runs: its 'when' is always false",
        "4:31 warning never-runs operation 'c' never runs: it depends on nothing that could fail (add 'needs', or make it a handler under 'after: {failure: …}')",
        "5:49 warning never-runs operation 'd' never runs: it needs 'a', which never runs",
        "7:31 warning never-runs operation 'f' never runs: it has no dependencies, so its 'when' is evaluated when the run begins, before anything can be cancelled (add 'needs', or make it a handler under 'after: {cancel: …}')",
      ])
    _ = try pipeline(text)
  }

  @Test("an operation that needs one that never runs never runs either, unless its condition is evaluated anyway")
  func neverRunsBecauseOfAnother() throws {
    let text = """
      operations:
        - { name: a, run: ls, when: false }
        - { name: b, run: ls, needs: [f, a], when: success() }
        - { name: c, run: cat, inject: b }
        - { name: d, value: "${{ results.a || 1 }}", when: "results.b || true" }
        - { name: e, value: "${{ results.d }}" }
        - { name: f, run: ls }
        - { name: g, run: ls, run_when: never }
        - { name: h, run: ls, needs: g }
        - { name: i, run: ls, run_when: never, otherwise: fail }
        - { name: j, run: ls, needs: i, when: failure() }
        - { name: k, run: ls, needs: [f, a], when: always() }
        - { name: l, run: ls, needs: [f, a], when: failure() }
        - { name: m, run: ls, when: operations.a.state == 'skipped' }
        - { name: n, run: ls, needs: [k, m] }
      """
    #expect(
      findings(text) == [
        "2:31 warning never-runs operation 'a' never runs: its 'when' is always false",
        "3:36 warning never-runs operation 'b' never runs: it needs 'a', which never runs",
        "4:34 warning never-runs operation 'c' never runs: it needs 'b', which never runs because of 'a'",
        "8:35 warning never-runs operation 'g' never runs: its 'run_when' is never true",
        "9:32 warning never-runs operation 'h' never runs: it needs 'g', which never runs",
        "10:35 warning never-runs operation 'i' never runs: its 'run_when' is never true",
      ])
  }

  @Test("in a chain, operations after one that never runs never run either")
  func neverRunsInAChain() throws {
    let text = """
      order: chain
      operations:
        - { name: a, run: ls, when: false }
        - { name: b, run: ls }
      """
    #expect(
      findings(text) == [
        "3:31 warning never-runs operation 'a' never runs: its 'when' is always false",
        "4:13 warning never-runs operation 'b' never runs: it needs 'a', which never runs",
      ])
  }

  @Test("standard input has only one source")
  func standardInput() {
    #expect(
      findings("operations: [{ name: a, run: ls }, { name: b, run: cat, inject: a, stdin: text }]") == [
        "1:65 stdin-taken operation 'b' has both 'stdin' and an automatic injection, which arrives on standard input (give the injected value a name, or remove 'stdin')"
      ])
  }

  @Test("a condition is a single expression")
  func conditions() {
    #expect(
      findings(inOperation: "run: ls", "when: \"a ${{ true }}\"") == [
        "4:11 mixed-expression 'when' is one expression, but there is text around '${{ }}' here (put the whole condition inside '${{ }}')"
      ])
    #expect(findings(inOperation: "run: ls", "when: 1 == 1") == [])
    let found = findings(inOperation: "run: ls", "when: 1 == ")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("4:") == true)
  }

  @Test("a computed wait must have the right type")
  func waits() {
    #expect(
      findings(
        "params: { n: int, d: duration }\noperations: [{ name: a, wait: \"${{ params.n }}\" }, { name: b, wait: \"${{ params.d }}\" }]"
      ) == ["2:31 type-mismatch 'wait' needs a duration, found int"])
  }

  @Test("a type that doubles with every step is abandoned")
  func doublingTypes() {
    var text = "operations:\n  - { name: v0, value: { a: 1 } }\n"
    for step in 1...60 {
      let last = "${{ results.v\(step - 1) }}"
      text += "  - { name: v\(step), value: { a: \"\(last)\", b: [\"\(last)\", \"\(last)\"] } }\n"
    }
    text += "  - { name: last, run: ls, inject: v60, requires: int }\n"
    #expect(
      findings(text) == [
        "63:36 type-mismatch operation 'last' requires int, but 'v60' gives {a: json, b: [json]}"
      ])
  }
}
