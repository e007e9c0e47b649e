import Testing

@testable import Pipelines

/// What loading `text` with all parts of the language finds.
private func found(_ text: String) -> [String] {
  PipelineLoader.load(text: text, path: "test.yaml", parts: .all).diagnostics.map(shown)
}

private let work = "operations: [{name: x, run: ls}]\n"

private func loaded(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PipelineDefinition {
  let result = PipelineLoader.load(text: text, path: "test.yaml", parts: .all)
  return try #require(
    result.pipeline, Comment(rawValue: result.diagnostics.map(shown).joined(separator: "\n")),
    sourceLocation: sourceLocation)
}

/// What is found in an operation that has `line` beside its action, with the specifications `online` and `office-hours`.
private func found(inOperation line: String) -> [String] {
  found(
    """
    specifications: { online: connected, office-hours: foreground }
    automatic: online && office-hours
    operations:
      - name: x
        run: ls
        \(line)
    """)
}

@Suite("Formulas of specifications")
struct SpecificationFormulaTests {
  /// A formula in the notation of Lisp.
  private func shape(_ node: SpecificationFormula.Node) -> String {
    switch node {
    case .always: "always"
    case .never: "never"
    case .connected: "connected"
    case .foreground: "foreground"
    case .olderThan(let age): "older:\(DurationNotation.format(age))"
    case .fileExists(let path): "exists:\(path.text)"
    case .changed(let path): "changed:\(path.text)"
    case .succeeded(let pipeline): "succeeded:\(pipeline)"
    case .named(let position): "#\(position)"
    case .not(let operand): "(! \(shape(operand)))"
    case .and(let operands): "(&& " + operands.map(shape).joined(separator: " ") + ")"
    case .or(let operands): "(|| " + operands.map(shape).joined(separator: " ") + ")"
    }
  }

  private func parse(_ text: String, for use: SpecificationUse = .staleWhen) throws -> ParsedFormula {
    try SpecificationParser.parse(text, for: use, specifications: ["online": 0, "office-hours": 1, "_2": 2])
  }

  private func shape(of text: String) throws -> String {
    let parsed = try parse(text)
    #expect(parsed.problems == [])
    return shape(parsed.formula.root)
  }

  private func failure(_ text: String, for use: SpecificationUse = .staleWhen) -> String? {
    do {
      let problems = try parse(text, for: use).problems
      return problems.isEmpty
        ? nil
        : problems.map { "\($0.position)+\($0.length) \($0.message)" + ($0.fix.map { " (\($0))" } ?? "") }
          .joined(separator: "; ")
    } catch let error as ExpressionError {
      return "\(error.position)+\(error.length) \(error.code) \(error.message)" + (error.fix.map { " (\($0))" } ?? "")
    } catch {
      return "\(error)"
    }
  }

  @Test("'!' binds before '&&', and that before '||'; chains are one level")
  func precedence() throws {
    #expect(try shape(of: "online") == "#0")
    #expect(try shape(of: "!online && office-hours || connected") == "(|| (&& (! #0) #1) connected)")
    #expect(try shape(of: "online || office-hours && always && never") == "(|| #0 (&& #1 always never))")
    #expect(try shape(of: "!(online || _2) && !!foreground") == "(&& (! (|| #0 #2)) (! (! foreground)))")
    #expect(try shape(of: "  online\n  && office-hours\n") == "(&& #0 #1)")
    #expect(try parse("  online\n  && office-hours\n").formula.text == "online\n  && office-hours")
  }

  @Test("an argument is bare or quoted, and holds whatever stands in '${{ }}'")
  func arguments() throws {
    #expect(try shape(of: "older-than(1h30m)") == "older:1h30m")
    #expect(try shape(of: "older-than( '2d' )&&connected") == "(&& older:2d connected)")
    #expect(try shape(of: "file-exists(./in box/go && run.txt) || never") == "(|| exists:./in box/go && run.txt never)")
    #expect(try shape(of: "file-exists('a (1).txt')") == "exists:a (1).txt")
    #expect(try shape(of: #"changed("it's")"#) == "changed:it's")
    #expect(
      try shape(of: "changed(${{ format('{0}))', params.p) }}/x)") == "changed:${{ format('{0}))', params.p) }}/x")
    #expect(try shape(of: "succeeded (nightly.build)") == "succeeded:nightly.build")
  }

  @Test("the place of an expression in an argument is that in the whole text")
  func templates() throws {
    let parsed = try parse("online && file-exists('${{ params.p }}/x')")
    #expect(parsed.templates.map(\.offset) == [23])
    #expect(parsed.templates.first?.template.references.first?.position == 5)
    #expect(parsed.names.map(\.place.position) == [1])
  }

  @Test("a mistake of syntax is pointed at")
  func syntax() {
    #expect(failure("") == "1+1 specification-syntax expected a specification")
    #expect(
      failure("online &&")
        == "10+1 specification-syntax unexpected end of the formula, expected a specification")
    #expect(failure("online && && online") == "11+2 specification-syntax unexpected '&&', expected a specification")
    #expect(failure("(online") == "8+1 specification-syntax unexpected end of the formula, expected ')'")
    #expect(failure("online)") == "7+1 specification-syntax unexpected ')', which closes nothing")
    #expect(
      failure("online & never")
        == "8+1 specification-syntax unexpected '&', expected '&&', '||' or the end ('and' is written '&&')")
    #expect(
      failure("online and never")
        == "8+3 specification-syntax unexpected 'and', expected '&&', '||' or the end ('and' is written '&&')")
    #expect(
      failure("not online")
        == "1+3 specification-syntax unexpected 'not', expected a specification ('not' is written '!')")
    #expect(
      failure("online == true")
        == "8+1 specification-syntax unexpected '=', expected '&&', '||' or the end (formulas compare nothing: that is for 'when')"
    )
    #expect(
      failure("${{ params.x }}")
        == "1+3 specification-syntax unexpected '${{', expected a specification (a formula stands without '${{ }}'; conditions on values belong under 'when')"
    )
    #expect(
      failure("file-exists(x")
        == "12+1 specification-syntax the argument of 'file-exists' does not end (end it with ')')")
    #expect(
      failure("file-exists('x)")
        == "12+1 specification-syntax the argument of 'file-exists' does not end (end it with ')')")
    #expect(failure("online online") == "8+6 specification-syntax unexpected 'online', expected '&&', '||' or the end")
    #expect(failure("§") == "1+1 specification-syntax unexpected '§', expected a specification")
  }

  @Test("what is wrong with names and arguments is found all at once")
  func problems() {
    #expect(
      failure("onlin && conected || true && office.hours")
        == """
        1+5 there is no specification 'onlin' (did you mean 'online'?); \
        10+8 there is no specification 'conected' (did you mean 'connected'?); \
        22+4 there is no specification 'true' (write 'always'); \
        30+12 'office.hours' is not available in this version: specifications of plugins arrive with plugins
        """)
    #expect(failure("older-then(1h)") == "1+10 there is no specification 'older-then' (did you mean 'older-than(1h)'?)")
    #expect(failure("older-than") == "1+10 'older-than' needs an argument (write it like older-than(1h))")
    #expect(failure("changed()") == "1+7 'changed' needs an argument (write it like changed(path))")
    #expect(failure("connected(x)") == "1+9 'connected' takes no argument")
    #expect(failure("online()") == "1+6 'online' is a specification of the pipeline, which takes no argument")
    #expect(
      failure("older-than(60)")
        == "12+2 'older-than' needs a duration with its unit, found '60' (for seconds write '60s')")
    #expect(failure("older-than( 0s )") == "13+2 'older-than' must be longer than nothing")
    #expect(failure("succeeded(two words)")?.hasPrefix("11+9 'two words' cannot be a pipeline's name") == true)
    #expect(failure("file-exists(${{ params. }})")?.hasPrefix("24+") == true)
    #expect(failure("file-exists(${{ params.x)")?.hasPrefix("12+1 specification-syntax") == false)
    #expect(
      failure("params.x") == "1+8 'params.x' is a value, not a specification (conditions on values belong under 'when')"
    )
    #expect(failure("reachable") == "1+9 'reachable' has a meaning under 'early' of a retry only")
    #expect(
      failure("peer-success", for: .early)
        == "1+12 'peer-success' is not available in this version: it goes with 'http'")
  }

  @Test("nesting and length are bounded")
  func bounds() throws {
    #expect(
      try shape(of: String(repeating: "!", count: 50) + "online").hasSuffix("#0" + String(repeating: ")", count: 50)))
    #expect(failure(String(repeating: "!", count: 51) + "online")?.hasPrefix("51+1 specification-too-deep") == true)
    #expect(failure(String(repeating: "(", count: 20_000))?.hasPrefix("51+1 specification-too-deep") == true)
    #expect(failure(String(repeating: "x", count: 21_001))?.hasPrefix("21001+1 specification-too-long") == true)
    let chain = Array(repeating: "online", count: 2_000).joined(separator: "||")
    #expect(failure(chain) == nil)
  }

  @Test("no text makes the parser fail otherwise than by an error", arguments: 0..<200)
  func hostile(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    let parts = [
      "!", "&&", "||", "(", ")", " ", "online", "older-than", "(1h)", "'", "\"", "${{", "}}", "é", ".", "\n", "-",
    ]
    var text = ""
    for _ in 0..<40 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      text += parts[Int(state % UInt64(parts.count))]
    }
    guard let failure = failure(text) else { return }
    #expect(!failure.isEmpty)
  }
}

@Suite("Keys of specifications")
struct SpecificationKeyTests {
  @Test("a specification is a formula, or a mapping with what it uses and how long it must hold")
  func forms() throws {
    let pipeline = try loaded(
      """
      automatic: go
      rerun_on_change: !!str changed(in.txt)
      stale_when: older-than(1h) || !calm
      specifications:
        go: online && file-exists(${{ params.place }}/go)
        online: { uses: connected, hold: 5s }
        calm: { uses: "!foreground" }
      params: { place: { default: . } }
      """ + "\n" + work)
    #expect(pipeline.specifications.map(\.name) == ["go", "online", "calm"])
    #expect(pipeline.specifications.map(\.hold) == [nil, .seconds(5), nil])
    #expect(pipeline.specifications[0].formula.root.named == [1])
    #expect(pipeline.automatic?.text == "go")
    #expect(pipeline.rerunOnChange?.text == "changed(in.txt)")
    #expect(pipeline.staleWhen?.root.named == [2])
  }

  @Test("a gate has a formula, what happens otherwise, and for how long it waits")
  func gates() throws {
    let pipeline = try loaded(
      """
      operations:
        - { name: a, run: ls, run_when: connected }
        - { name: b, wait_at_most: 5m, otherwise: skip, run_when: "!connected", value: 1 }
        - { name: c, run: ls, stale_when: older-than(1h), retry: { early: [connected, file-exists(x)] } }
        - { name: d, run: ls, retry: { early: connected } }
      """)
    let gates = pipeline.operations.map(\.gate)
    #expect(gates[0]?.formula.text == "connected")
    #expect(gates[0]?.otherwise == .wait)
    #expect(gates[0]?.waitAtMost == nil)
    #expect(gates[1]?.otherwise == .skip)
    #expect(gates[1]?.waitAtMost == .seconds(300))
    #expect(gates[2] == nil)
    #expect(pipeline.operations[2].staleWhen?.text == "older-than(1h)")
    #expect(
      pipeline.operations.map { $0.retry.early.map(\.text) } == [
        [], [], ["connected", "file-exists(x)"], ["connected"],
      ])
  }

  @Test("what a plugin would offer is answered once, settings and all")
  func plugins() {
    #expect(
      found(
        """
        specifications:
          office-hours: { uses: calendar.time-window, with: { days: mon-fri }, hold: 5s }
          short: network.connected
        automatic: office-hours && short
        """ + "\n" + work) == [
          "2:25 not-available 'calendar.time-window' is not available in this version: specifications of plugins arrive with plugins",
          "3:10 not-available 'network.connected' is not available in this version: specifications of plugins arrive with plugins",
        ])
    #expect(
      found("specifications: { a: { uses: connected, with: { x: 1 } } }\nautomatic: a\n" + work) == [
        "1:41 not-available 'with' is not available in this version"
      ])
  }

  @Test("names are the author's own, and are written exactly")
  func names() {
    #expect(
      found("specifications: { connected: always, a b: always, not: never }\n" + work) == [
        "1:19 reserved-name a specification cannot be called 'connected': the language has that name itself",
        "1:38 invalid-name 'a b' cannot be a specification's name: it may hold letters, digits, '_' and '-', the first a letter or '_'",
        "1:51 reserved-name a specification cannot be called 'not': the language has that name itself",
      ])
    #expect(
      found(inOperation: "run_when: Online") == [
        "6:15 unknown-specification there is no specification 'Online' (did you mean 'online'?)"
      ])
  }

  @Test("the long form needs what it uses, and a hold that is longer than nothing")
  func longForm() {
    #expect(
      found("specifications:\n  a: { hold: 0s }\n  b: { use: connected }\n  c: [x]\n  d:\n" + work) == [
        "2:3 missing-key the specification 'a' needs a 'uses'",
        "2:14 out-of-range 'hold' must be longer than nothing",
        "3:3 missing-key the specification 'b' needs a 'uses'",
        "3:8 unknown-key a specification has no key 'use' (did you mean 'uses'?)",
        "4:6 wrong-form the specification 'c' needs a formula of specifications, found a list",
        "5:5 wrong-form the specification 'd' needs a formula of specifications, found nothing",
      ])
    #expect(
      found("specifications: connected\n" + work) == [
        "1:17 wrong-form 'specifications' needs a mapping of names to specifications, found 'connected'"
      ])
  }

  @Test("a cycle is printed as the cycle, where it is closed")
  func cycles() {
    #expect(
      found("specifications:\n  a: connected && b\n  b: '!c'\n  c: foreground || a\nautomatic: a\n" + work) == [
        "4:20 cycle these specifications are made of each other: a → b → c → a"
      ])
    #expect(
      found("specifications: { a: connected || a }\nautomatic: a\n" + work) == [
        "1:35 cycle the specification 'a' is made of itself: a → a"
      ])
  }

  @Test("a specification that nothing uses is a warning; one that only another uses is not")
  func unused() {
    #expect(
      found("specifications: { a: connected, b: a, c: always }\nautomatic: b\n" + work) == [
        "1:39 warning unused-specification nothing uses the specification 'c'"
      ])
    #expect(found("specifications: { a: connected }\nautomatic: b\n" + work).count == 1)
  }

  @Test("an age is asked for only where something has one")
  func ages() {
    #expect(
      found(inOperation: "run_when: online && older-than(1h)") == [
        "6:25 misplaced-specification 'older-than' belongs under 'stale_when': nothing that 'run_when' asks about has an age (to let time pass, use an operation with 'wait')"
      ])
    #expect(
      found(
        "specifications: { old: older-than(1d), very: old || connected }\nautomatic: '!very'\nstale_when: very\n" + work
      )
        == [
          "2:14 misplaced-specification 'very' asks with 'older-than' for an age, and nothing that 'automatic' asks about has one (to let time pass, use an operation with 'wait')"
        ])
    #expect(found(inOperation: "stale_when: online && older-than(1h)") == [])
  }

  @Test("what goes with a gate has no effect without one")
  func gateKeys() {
    #expect(
      found(inOperation: "otherwise: skip\n    wait_at_most: 5m") == [
        "6:5 misplaced-key 'otherwise' has no effect without 'run_when'",
        "7:5 misplaced-key 'wait_at_most' has no effect without 'run_when'",
      ])
    #expect(
      found(inOperation: "run_when: online\n    otherwise: skp\n    wait_at_most: 0s") == [
        "7:16 unknown-word 'otherwise' is one of wait, skip, fail, found 'skp' (did you mean 'skip'?)",
        "8:19 out-of-range 'wait_at_most' must be longer than nothing",
      ])
  }

  @Test("a gate that never opens is a warning")
  func closedGates() {
    #expect(
      found(inOperation: "run_when: online && never") == [
        "6:15 warning never-runs operation 'x' never runs: its 'run_when' is never true"
      ])
    #expect(found(inOperation: "run_when: online && !never") == [])
  }

  @Test("a path may name params and the run, and nothing that is not known or not to be seen")
  func paths() {
    let text = """
      params: { place: { default: here } }
      secrets: { token: { env: TOKEN } }
      env: { E: e }
      operations:
        - { name: x, run: ls }
        - name: y
          run: ls
          run_when: file-exists(${{ params.place }}/${{ run.id }}) && changed(${{ params.plac }})
        - name: z
          run: ls
          run_when: changed('${{ results.x }}') || changed(${{ secrets.token }}) || changed(${{ env.E }})
      """
    #expect(
      found(text) == [
        "8:84 unknown-member 'params' has no member 'plac' (did you mean 'params.place'?)",
        "11:28 context-not-available 'results' is not available here: a specification sees 'params' and 'run'",
        "11:58 secret-exposed a secret cannot be used in 'specifications', whose value is recorded or shown (secrets may stand in 'env', 'inject', 'stdin' and 'params')",
        "11:91 context-not-available 'env' is not available here: a specification sees 'params' and 'run'",
      ])
  }

  @Test("places are exact in quotes and in blocks of several lines")
  func places() {
    #expect(
      found("automatic: 'connected && conected'\n" + work) == [
        "1:26 unknown-specification there is no specification 'conected' (did you mean 'connected'?)"
      ])
    #expect(
      found("automatic: >-\n  connected &&\n  foregroud\n" + work) == [
        "3:3 unknown-specification there is no specification 'foregroud' (did you mean 'foreground'?)"
      ])
    #expect(
      found("automatic: connected &&\n" + work) == [
        "1:24 specification-syntax unexpected end of the formula, expected a specification"
      ])
  }

  @Test("early has at least one entry, and knows its own words")
  func early() {
    #expect(
      found(inOperation: "retry: { early: [reachable, online, onlin] }") == [
        "6:22 not-available 'reachable' is not available in this version: it goes with 'http'",
        "6:41 unknown-specification there is no specification 'onlin' (did you mean 'online'?)",
      ])
    #expect(
      found(inOperation: "retry: { early: [] }") == [
        "6:21 wrong-form 'early' needs at least one specification, found a list"
      ])
    #expect(found("defaults: { retry: { early: connectd } }\n" + work).count == 1)
  }
}
