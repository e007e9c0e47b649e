import Testing

@testable import Expressions
@testable import PipelineLanguage

@Suite("Keys beside an action")
struct ModifierTests {
  @Test("retry is a limit, or a mapping with a default limit of 3")
  func retries() throws {
    #expect(try operation("run: ls").retry.limit == 0)
    #expect(try operation("run: ls", "retry: 5").retry.limit == 5)
    let retry = try operation(
      "run: ls", "retry:", "  backoff: fibonacci", "  base: 200ms", "  max: 5s", "  jitter: none", "  deadline: 1m",
      "  on: [timeout, {exit: [1, 75]}, {exit: 2}, {signal: SIGKILL}, {error: result-mismatch}]"
    ).retry
    #expect(retry.limit == 3)
    #expect(retry.backoff == .fibonacci)
    #expect(retry.base == .milliseconds(200))
    #expect(retry.maximum == .seconds(5))
    #expect(retry.jitter == .none)
    #expect(retry.deadline == .seconds(60))
    #expect(
      retry.on == [
        .timeout, .exitCode(1), .exitCode(75), .exitCode(2), .signal("SIGKILL"), .error("result-mismatch"),
      ])
  }

  @Test("a base longer than the default maximum raises the maximum")
  func longBase() throws {
    #expect(try operation("run: ls", "retry: {base: 5m}").retry.maximum == .seconds(300))
    #expect(
      findings(inOperation: "run: ls", "retry: {base: 5s, max: 1s}") == [
        "4:28 out-of-range 'max' cannot be shorter than 'base', which is 5s"
      ])
  }

  @Test("a constant delay has no jitter unless requested")
  func constant() throws {
    let retry = try operation("run: ls", "retry: {backoff: constant, base: 5m}").retry
    #expect(retry.jitter == .none && retry.base == .seconds(300) && retry.maximum == .seconds(300))
    #expect(try operation("run: ls", "retry: {jitter: full, backoff: constant}").retry.jitter == .full)
    #expect(try operation("run: ls", "retry: {base: 5m}").retry.jitter == .full)
  }

  @Test("errors in a retry say what to write")
  func retryErrors() {
    #expect(
      findings(
        inOperation: "run: ls", "retry:", "  limit: -1", "  backoff: exponental", "  base: 5", "  on: [1, timeot]") == [
          "5:14 out-of-range 'limit' must be at least 0, found -1",
          "6:16 unknown-word 'backoff' is one of constant, linear, exponential, fibonacci, decorrelated, found 'exponental' (did you mean 'exponential'?)",
          "7:13 invalid-duration 'base' needs a duration with its unit, found '5' (for seconds write '5s')",
          "8:12 unknown-word an entry of 'on' is timeout, node-failed, preempted, out-of-memory, lost, time-limit, cancelled-outside, submit-refused, {exit: …}, {signal: …}, {status: …} or {error: …}, found '1' (write '{exit: 1}')",
          "8:15 unknown-word an entry of 'on' is timeout, node-failed, preempted, out-of-memory, lost, time-limit, cancelled-outside, submit-refused, {exit: …}, {signal: …}, {status: …} or {error: …}, found 'timeot' (did you mean 'timeout'?)",
        ])
    #expect(
      findings(inOperation: "run: ls", "retry: {on: [{signal: KILL}, {exit: 300}]}") == [
        "4:27 unknown-word there is no signal 'KILL' (did you mean 'SIGKILL'?)",
        "4:41 out-of-range an exit code must be from 1 to 255, found 300",
      ])
  }

  @Test("a repetition must be bounded")
  func repetitions() throws {
    let repetition = try #require(try operation("run: ls", "repeat: {every: 2s, limit: 4}").repetition)
    #expect(repetition.every == .seconds(2))
    #expect(repetition.limit == 4)
    #expect(
      findings(inOperation: "run: ls", "repeat: {every: 2s}") == [
        "4:14 endless-repeat 'repeat' has neither 'until' nor 'limit', so it would never end"
      ])
  }

  @Test("durations need units")
  func durations() throws {
    #expect(try operation("run: ls", "timeout: 1h30m").timeout == .seconds(5400))
    #expect(
      findings(inOperation: "run: ls", "timeout: 30") == [
        "4:14 invalid-duration 'timeout' needs a duration with its unit, found '30' (for seconds write '30s')"
      ])
    #expect(
      findings(inOperation: "run: ls", "timeout: soon") == [
        "4:14 invalid-duration 'timeout' needs a duration with its unit, found 'soon' (write it like '30s', '1h30m' or '200ms')"
      ])
    #expect(
      findings(inOperation: "run: ls", "timeout: 20000w", "stale_when: older-than(20000w)") == [
        "4:14 out-of-range 'timeout' must be at most 15250w, some 292 years, found '20000w'",
        "5:28 out-of-range 'older-than' must be at most 15250w, some 292 years, found '20000w'",
      ])
    #expect(
      findings(inOperation: "run: ls", "timeout: 0s") == ["4:14 out-of-range 'timeout' must be greater than zero"])
    #expect(
      findings(inOperation: "run: ls", "timeout: ${{ params.t }}") == [
        "4:14 expression-not-allowed 'timeout' cannot contain an expression: it is read before anything runs"
      ])
  }

  @Test("a shell is a program or a list")
  func shells() throws {
    #expect(try operation("run: ls", "shell: bash").shell == ["bash", "-c"])
    #expect(
      try operation("run: ls", "shell: [bash, -euo, pipefail, -c]").shell == ["bash", "-euo", "pipefail", "-c"])
  }

  @Test("booleans are true or false, as in YAML 1.2")
  func booleans() throws {
    #expect(try operation("run: ls", "allow_failure: true").allowFailure)
    #expect(
      findings(inOperation: "run: ls", "allow_failure: yes") == [
        "4:20 wrong-form 'allow_failure' needs true or false, found 'yes'"
      ])
  }

  @Test("environment variables take scalars as written")
  func environments() throws {
    let variables = try operation("run: ls", "env: {PORT: 8080, FLAG: true, EMPTY: ''}").environment
    #expect(variables.map(\.name) == ["PORT", "FLAG", "EMPTY"])
    #expect(variables.map(\.value.text) == ["8080", "true", ""])
    #expect(
      findings(inOperation: "run: ls", "env: {A-B: 1, PENSTOCK_X: 1, C: [1], D: }") == [
        "4:11 invalid-name 'A-B' cannot be an environment variable: it may contain letters, digits and '_', the first a letter or '_'",
        "4:19 reserved-name 'PENSTOCK_X' cannot be set: names that begin with PENSTOCK_ are the engine's own",
        "4:37 wrong-form the variable 'C' needs a text, found a list",
        "4:44 wrong-form the variable 'D' needs a text, found nothing",
      ])
  }

  @Test("defaults apply to the operations on which they have an effect")
  func defaults() throws {
    let definition = try pipeline(
      """
      operations:
        - { name: a, run: ls, env: {B: own} }
        - { name: b, wait: 1h }
        - { name: c, command: [ls], timeout: 5s, retry: 0 }
      defaults:
        timeout: 30s
        grace: 1s
        retry: 2
        env: {A: base, B: base}
        directory: src
        shell: bash
      """)
    let (a, b, c) = (definition.operations[0], definition.operations[1], definition.operations[2])
    #expect(a.timeout == .seconds(30))
    #expect(a.grace == .seconds(1))
    #expect(a.retry.limit == 2)
    #expect(a.environment.map { "\($0.name)=\($0.value.text)" } == ["A=base", "B=own"])
    #expect(a.directory?.text == "src")
    #expect(a.shell == ["bash", "-c"])
    #expect(b.timeout == nil)
    #expect(b.environment.isEmpty)
    #expect(c.timeout == .seconds(5))
    #expect(c.retry.limit == 0)
    #expect(c.environment.map(\.value.text) == ["base", "base"])
  }

  @Test("resources refer to declared ones")
  func resources() throws {
    let definition = try pipeline(
      """
      resources: {gpu: 2, disk: 1}
      operations: [{name: a, run: ls, resources: {disk: 1, gpu: 2}}]
      """)
    #expect(definition.operations[0].resources.map(\.resource) == [1, 0])
    #expect(definition.operations[0].resources.map(\.amount) == [1, 2])
    #expect(
      findings(
        """
        resources: {gpu: 2}
        operations:
          - { name: a, run: ls, resources: {gpi: 1} }
          - { name: b, run: ls, resources: {gpu: 3} }
          - { name: c, run: ls, resources: {gpu: 0, tape: 1} }
        """) == [
          "3:37 unknown-resource the pipeline declares no resource 'gpi' (did you mean 'gpu'?)",
          "4:42 out-of-range operation 'b' needs 3 of 'gpu', but there is only 2 (lower it, or raise 'gpu' at the top of the pipeline)",
          "5:42 out-of-range the amount of 'gpu' must be at least 1, found 0",
          "5:45 unknown-resource the pipeline declares no resource 'tape' (declare it at the top: 'resources: {tape: 1}'; if a host declares it, name that with --config)",
        ])
  }

  @Test("names are checked, and unique regardless of case")
  func names() {
    #expect(
      findings(
        """
        operations:
          - { name: fetch, run: ls }
          - { name: Fetch, run: ls }
          - { name: 2nd, run: ls }
          - { run: ls }
          - just a text
        """) == [
          "3:13 duplicate-name the name 'Fetch' is already used on line 2",
          "4:13 invalid-name '2nd' cannot be an operation's name: it may contain letters, digits, '_' and '-', at most 100, the first a letter or '_'",
          "5:7 missing-key an operation needs a 'name'",
          "6:5 wrong-form an operation needs a mapping, found 'just a text'",
        ])
  }

  @Test("a loop has a list of items and a single source")
  func loops() throws {
    let loop = try #require(try operation("run: ls", "for_each: {in: [1, 2], as: n, concurrency: 3}").loop)
    #expect(loop.itemName == "n")
    #expect(loop.concurrency == 3)
    guard case .list(.literal([1, 2])) = loop.source else { return #expect(Bool(false), "not the list") }
    let matrix = try #require(try operation("run: ls", "matrix: {os: [a, b], n: [1, 2]}").loop)
    guard case .matrix(let lists) = matrix.source else { return #expect(Bool(false), "not a matrix") }
    #expect(lists.lists.map(\.name) == ["os", "n"])
    #expect(
      findings(inOperation: "run: ls", "for_each: [1]", "matrix: {a: [1]}") == [
        "5:5 several-loops operation 'x' has both 'for_each' and 'matrix' (keep one; a list with one entry is a matrix too)"
      ])
    #expect(
      findings(inOperation: "run: ls", "for_each: {in: [1], as: run}") == [
        "4:29 reserved-name an item cannot be called 'run': that is a context's name"
      ])
    #expect(findings(inOperation: "run: ls", "for_each: {as: n}") == ["4:16 missing-key 'for_each' needs an 'in'"])
    #expect(
      findings(inOperation: "run: ls", "for_each: text") == [
        "4:15 wrong-form 'for_each' needs a list or an expression that yields one, found 'text' (write it as [text], or as an expression such as results.text)"
      ])
  }

  @Test("a loop may label its items, in one place")
  func labels() throws {
    for text in ["for_each: {in: [1], label: 'n ${{ item }}'}", "for_each: [1]\n    label: n ${{ item }}"] {
      #expect(try operation("run: ls", text).loop?.label?.text == "n ${{ item }}")
    }
    #expect(try operation("run: ls", "label: a", "matrix: {label: [1]}").loop?.label?.text == "a")
    #expect(
      findings(inOperation: "run: ls", "label: a") == [
        "4:5 misplaced-key 'label' has no effect without 'for_each' or 'matrix' ('description' says what an operation is for)"
      ])
    #expect(
      findings(inOperation: "run: ls", "label: a", "for_each: {in: [1], label: b}") == [
        "5:25 duplicate-key 'label' is given both in 'for_each' and beside it (keep one)"
      ])
    #expect(
      findings(inOperation: "run: ls", "for_each: [[1]]", "label: ${{ item }}") == [
        "5:12 type-mismatch 'label' needs a string, found [int]"
      ])
  }

  @Test(
    "a list of items may be an expression, bare or not",
    arguments: ["for_each: %", "for_each: {in: %}", "matrix: {a: %}"],
    [
      ("params.files", "params.files"), ("'${{ params.files }}'", "params.files"), ("' params.files '", "params.files"),
      ("fromJSON(params.text)", "fromJSON(params.text)"),
    ])
  func bareLists(form: String, text: (written: String, expression: String)) throws {
    let list = form.replacing("%", with: text.written)
    let definition = try pipeline(
      "params: {files: '[string]', text: string}\noperations: [{name: a, run: ls, \(list)}]")
    let loop = try #require(definition.operations[0].loop)
    let data: DataTemplate? =
      switch loop.source {
      case .list(let data): data
      case .matrix(let matrix): matrix.lists.first?.values
      }
    guard case .template(let template)? = data else { return #expect(Bool(false), "not an expression") }
    #expect(template.wholeExpression?.text == text.expression)
  }

  @Test(
    "a text that is not an expression is rejected as a list of items",
    arguments: [
      ("linux", "found 'linux' (write it as [linux], or as an expression such as results.linux)"),
      ("a b", "found 'a b' (write it as [a b], or as an expression such as results.name)"),
      ("src/*.c", "found 'src/*.c' (write it as [src/*.c], or as an expression such as results.name)"),
      ("7", "found '7'"), ("true", "found 'true'"), ("", "found nothing"),
    ])
  func notAList(text: String, found: String) {
    #expect(
      findings(inOperation: "run: ls", "for_each: \(text)") == [
        "4:\(text.isEmpty ? 14 : 15) wrong-form 'for_each' needs a list or an expression that yields one, \(found)"
      ])
  }

  @Test("errors in a bare list are reported at their place")
  func placesInBareLists() {
    let found = findings(
      """
      params: { files: "[string]" }
      operations:
        - { name: a, run: ls, for_each: params.fils }
        - { name: b, run: ls, for_each: hosts.txt }
        - { name: c, run: ls, matrix: { x: run.id } }
      """)
    #expect(
      found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "3:42 unknown-member", "4:35 unknown-context", "5:38 type-mismatch",
      ], "\(found)")
  }

  @Test("a matrix has include and exclude")
  func matrixEntries() throws {
    let loop = try #require(
      try operation("run: ls", "matrix: {os: [a, b], exclude: [{os: b}], include: [{os: c, n: 1}, {n: 2}]}").loop)
    guard case .matrix(let matrix) = loop.source else { return #expect(Bool(false), "not a matrix") }
    #expect(matrix.lists.map(\.name) == ["os"])
    guard case .literal([["os": "b"]])? = matrix.exclude else { return #expect(Bool(false), "not what is excluded") }
    guard case .literal([["os": "c", "n": 1], ["n": 2]])? = matrix.include else {
      return #expect(Bool(false), "not what is included")
    }
    #expect(findings(inOperation: "run: ls", "matrix: {include: [{os: c}]}") == [])
    #expect(findings(inOperation: "run: ls", "matrix: {include: '${{ fromJSON(run.id) }}'}") == [])
    #expect(
      findings(inOperation: "run: ls", "matrix: {include: ['${{ fromJSON(run.id) }}'], exclude: [], a: [1]}") == [])
  }

  @Test(
    "errors in include and exclude are reported at their place",
    arguments: [
      (
        "matrix: {os: [linux], exclude: [{so: linux}]}",
        "4:38 unknown-key the matrix has no list 'so', so 'exclude' cannot name it (did you mean 'os'?)"
      ),
      (
        "matrix: {os: [linux, mac], exclude: [{os: linus}]}",
        "4:47 warning excludes-nothing 'exclude' excludes nothing here: 'os' has no such value (did you mean 'linux'?)"
      ),
      (
        "matrix: {n: [1], exclude: [{n: '1'}]}",
        "4:36 warning excludes-nothing 'exclude' excludes nothing here: 'n' has no such value"
      ),
      ("matrix: {exclude: [{os: a}]}", "4:14 wrong-form 'matrix' needs at least one list, or 'include'"),
      (
        "matrix: {os: [a], include: [b]}",
        "4:33 wrong-form an entry of 'include' needs a mapping of names to values, found 'b'"
      ),
      ("matrix: {os: [a], include: [{}]}", "4:33 wrong-form an entry of 'include' needs at least one name"),
      (
        "matrix: {os: [a], exclude: {os: a}}",
        "4:32 wrong-form 'exclude' needs a list or an expression that yields one, found a mapping"
      ),
      (
        "matrix: {os: [a], include: [{1x: a}]}",
        "4:34 invalid-name '1x' cannot be a name in a matrix: it may contain letters, digits, '_' and '-', the first a letter or '_'"
      ),
    ])
  func wrongMatrixEntries(matrix: String, finding: String) {
    #expect(findings(inOperation: "run: ls", matrix) == [finding])
  }

  @Test(
    "a list of a matrix cannot be called include or exclude in different case",
    arguments: ["Include", "INCLUDE", "iNcLuDe", "Exclude"])
  func misspeltMatrixKeys(name: String) throws {
    #expect(
      findings(inOperation: "run: ls", "matrix: {os: [a, b], \(name): [{os: c}]}") == [
        "4:26 reserved-name a list of a matrix cannot be called '\(name)' (did you mean '\(name.lowercased())'?)"
      ])
    // The schema forbids the same names as the loader.
    _ = try #require(try Regex(NamePattern.misspeltMatrixKey).wholeMatch(in: name))
  }

  @Test("a list of mappings in a matrix with a name like include or exclude yields a warning", arguments: ["s", "d"])
  func nearMatrixKeys(ending: String) {
    #expect(
      findings(inOperation: "run: ls", "matrix: {os: [a, b], exclude\(ending): [{os: a}]}") == [
        "4:26 warning reserved-name the list 'exclude\(ending)' of the matrix is one like any other (did you mean 'exclude'?)"
      ])
  }

  @Test(
    "a list of a matrix may have a name that contains include or exclude",
    arguments: ["includes", "preinclude", "in"])
  func similarNames(name: String) throws {
    #expect(findings(inOperation: "run: ls", "matrix: {\(name): [a]}") == [])
    #expect(try Regex(NamePattern.misspeltMatrixKey).wholeMatch(in: name) == nil)
  }

  @Test("for_each and matrix may end early")
  func failureLimits() throws {
    let plain = try #require(try operation("run: ls", "for_each: [1]").loop)
    #expect(plain.failFast == false && plain.maxFailures == nil && plain.failureLimit == nil)
    let fast = try #require(try operation("run: ls", "fail_fast: true", "for_each: [1]").loop)
    #expect(fast.failFast && fast.failureLimit == 1)
    let few = try #require(try operation("run: ls", "matrix: {a: [1]}", "max_failures: 3").loop)
    #expect(!few.failFast && few.failureLimit == 3)
    let both = try #require(try operation("run: ls", "matrix: {a: [1]}", "max_failures: 3", "fail_fast: true").loop)
    #expect(both.failFast && both.failureLimit == 3)
  }

  @Test(
    "keys that end a loop early are checked for place and form",
    arguments: [
      (["fail_fast: true"], ["4:5 misplaced-key 'fail_fast' has no effect without 'for_each' or 'matrix'"]),
      (["max_failures: 1"], ["4:5 misplaced-key 'max_failures' has no effect without 'for_each' or 'matrix'"]),
      (["for_each: [1]", "max_failures: 0"], ["5:19 out-of-range 'max_failures' must be at least 1, found 0"]),
      (["for_each: [1]", "fail_fast: 3"], ["5:16 wrong-form 'fail_fast' needs true or false, found '3'"]),
      (
        ["for_each: {in: [1], fail_fast: true}"],
        ["4:25 misplaced-key 'fail_fast' goes beside 'for_each' (move it one level up)"]
      ),
      (
        ["for_each: [1]", "fail-fast: true"],
        ["5:5 unknown-key an operation has no key 'fail-fast' (did you mean 'fail_fast'?)"]
      ),
    ])
  func wrongFailureLimits(entries: [String], expected: [String]) {
    let text = (["operations:", "  - name: x", "    run: ls"] + entries.map { "    \($0)" }).joined(separator: "\n")
    #expect(findings(text) == expected)
  }

  @Test("a matrix that is too large is rejected")
  func hugeMatrix() {
    let list = "[" + Array(repeating: "1", count: 100).joined(separator: ",") + "]"
    #expect(
      findings(inOperation: "run: ls", "matrix: {a: \(list), b: \(list), c: \(list)}") == [
        "4:14 too-many-items the matrix has more than 100000 combinations"
      ])
  }
}
