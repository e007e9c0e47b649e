import Testing

@testable import PipelineLanguage

@Suite("Keys of specifications")
struct SpecificationKeyTests {
  @Test("a specification is a condition, or a mapping with what it uses and how long it must hold")
  func forms() throws {
    let pipeline = try SpecificationFixture.loaded(
      """
      automatic: go
      rerun_on_change: !!str changed(in.txt)
      stale_when: older-than(1h) || !calm
      specifications:
        go: online && file-exists(${{ params.place }}/go)
        online: { uses: connected, hold: 5s }
        calm: { uses: "!foreground" }
      params: { place: { default: . } }
      """ + "\n" + SpecificationFixture.work)
    #expect(pipeline.specifications.map(\.name) == ["go", "online", "calm"])
    #expect(pipeline.specifications.map(\.hold) == [nil, .seconds(5), nil])
    #expect(pipeline.specifications[0].formula.root.named == [1])
    #expect(pipeline.automatic?.text == "go")
    #expect(pipeline.rerunOnChange?.text == "changed(in.txt)")
    #expect(pipeline.staleWhen?.root.named == [2])
  }

  @Test("a gate has a condition, an alternative, and a maximum wait")
  func gates() throws {
    let pipeline = try SpecificationFixture.loaded(
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

  @Test("names are the author's own, and case-sensitive")
  func names() {
    #expect(
      SpecificationFixture.found(
        "specifications: { connected: always, a b: always, not: never }\n" + SpecificationFixture.work) == [
          "1:19 reserved-name a specification cannot be called 'connected': the language has that name itself",
          "1:38 invalid-name 'a b' cannot be a specification's name: it may contain letters, digits, '_' and '-', the first a letter or '_'",
          "1:51 reserved-name a specification cannot be called 'not': the language has that name itself",
        ])
    #expect(
      SpecificationFixture.found(inOperation: "run_when: Online") == [
        "6:15 unknown-specification there is no specification 'Online' (did you mean 'online'?)"
      ])
  }

  @Test("the long form needs 'uses', and a hold greater than zero")
  func longForm() {
    #expect(
      SpecificationFixture.found(
        "specifications:\n  a: { hold: 0s }\n  b: { use: connected }\n  c: [x]\n  d:\n" + SpecificationFixture.work)
        == [
          "2:3 missing-key the specification 'a' needs a 'uses'",
          "2:14 out-of-range 'hold' must be greater than zero",
          "3:8 unknown-key a specification has no key 'use' (did you mean 'uses'?)",
          "4:6 wrong-form the specification 'c' needs a condition over specifications, found a list",
          "5:5 wrong-form the specification 'd' needs a condition over specifications, found nothing",
        ])
    #expect(
      SpecificationFixture.found("specifications: connected\n" + SpecificationFixture.work) == [
        "1:17 wrong-form 'specifications' needs a mapping of names to specifications, found 'connected'"
      ])
  }

  @Test("a cycle is reported where it closes")
  func cycles() {
    #expect(
      SpecificationFixture.found(
        "specifications:\n  a: connected && b\n  b: '!c'\n  c: foreground || a\nautomatic: a\n"
          + SpecificationFixture.work) == [
          "4:20 cycle these specifications refer to each other: a → b → c → a"
        ])
    #expect(
      SpecificationFixture.found("specifications: { a: connected || a }\nautomatic: a\n" + SpecificationFixture.work)
        == [
          "1:35 cycle the specification 'a' refers to itself: a → a"
        ])
  }

  @Test("an unused specification yields a warning, but not one that another uses")
  func unused() {
    #expect(
      SpecificationFixture.found(
        "specifications: { a: connected, b: a, c: always }\nautomatic: b\n" + SpecificationFixture.work) == [
          "1:39 warning unused-specification nothing uses the specification 'c'"
        ])
    #expect(
      SpecificationFixture.found("specifications: { a: connected }\nautomatic: b\n" + SpecificationFixture.work).count
        == 1)
  }

  @Test("an age is allowed only where something has one")
  func ages() {
    #expect(
      SpecificationFixture.found(inOperation: "run_when: online && older-than(1h)") == [
        "6:25 misplaced-specification 'older-than' can be used only under 'stale_when': 'run_when' does not refer to an earlier result (to let time pass, use an operation with 'wait')"
      ])
    #expect(
      SpecificationFixture.found(
        "specifications: { old: older-than(1d), very: old || connected }\nautomatic: '!very'\nstale_when: very\n"
          + SpecificationFixture.work
      )
        == [
          "2:14 misplaced-specification 'very' uses 'older-than', which can be used only under 'stale_when': 'automatic' does not refer to an earlier result (to let time pass, use an operation with 'wait')"
        ])
    #expect(SpecificationFixture.found(inOperation: "stale_when: online && older-than(1h)") == [])
  }

  @Test("the keys of a gate have no effect without one")
  func gateKeys() {
    #expect(
      SpecificationFixture.found(inOperation: "otherwise: skip\n    wait_at_most: 5m") == [
        "6:5 misplaced-key 'otherwise' has no effect without 'run_when'",
        "7:5 misplaced-key 'wait_at_most' has no effect without 'run_when'",
      ])
    #expect(
      SpecificationFixture.found(inOperation: "run_when: online\n    otherwise: skp\n    wait_at_most: 0s") == [
        "7:16 unknown-word 'otherwise' is one of wait, skip, fail, found 'skp' (did you mean 'skip'?)",
        "8:19 out-of-range 'wait_at_most' must be greater than zero",
      ])
  }

  @Test("a gate that never opens yields a warning")
  func closedGates() {
    #expect(
      SpecificationFixture.found(inOperation: "run_when: online && never") == [
        "6:15 warning never-runs operation 'x' never runs: its 'run_when' is never true"
      ])
    #expect(SpecificationFixture.found(inOperation: "run_when: online && !never") == [])
  }

  @Test("a path may refer to params and the run, but not to unknown or secret values")
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
      SpecificationFixture.found(text) == [
        "8:84 unknown-member 'params' has no member 'plac' (did you mean 'params.place'?)",
        "11:28 context-not-available 'results' is not available here: a specification can use only 'params' and 'run'",
        "11:58 secret-exposed a secret cannot be used in 'specifications', whose value is recorded or shown (secrets are allowed in 'env', 'inject', 'stdin', 'params' and what 'http' sends)",
        "11:91 context-not-available 'env' is not available here: a specification can use only 'params' and 'run'",
      ])
  }

  @Test("positions are exact in quotes and in multi-line blocks")
  func places() {
    #expect(
      SpecificationFixture.found("automatic: 'connected && conected'\n" + SpecificationFixture.work) == [
        "1:26 unknown-specification there is no specification 'conected' (did you mean 'connected'?)"
      ])
    #expect(
      SpecificationFixture.found("automatic: >-\n  connected &&\n  foregroud\n" + SpecificationFixture.work) == [
        "3:3 unknown-specification there is no specification 'foregroud' (did you mean 'foreground'?)"
      ])
    #expect(
      SpecificationFixture.found("automatic: connected &&\n" + SpecificationFixture.work) == [
        "1:24 specification-syntax unexpected end of the condition, expected a specification"
      ])
  }

  @Test("early has at least one entry, and its own words")
  func early() {
    #expect(
      SpecificationFixture.found(inOperation: "retry: { early: [reachable, online, onlin] }") == [
        "6:22 misplaced-specification 'reachable' can be used only for retries of 'http'",
        "6:41 unknown-specification there is no specification 'onlin' (did you mean 'online'?)",
      ])
    #expect(
      SpecificationFixture.found(inOperation: "retry: { early: [] }") == [
        "6:21 wrong-form 'early' needs at least one specification, found an empty list"
      ])
    #expect(
      SpecificationFixture.found("defaults: { retry: { early: connectd } }\n" + SpecificationFixture.work).count == 1)
  }
}
