import Testing

@testable import PipelineLanguage

@Suite("Cycles")
struct CycleTests {
  @Test("a cycle is reported once, at the reference that closes it")
  func simpleCycle() {
    #expect(
      findings(
        """
        operations:
          - { name: z, run: ls }
          - { name: a, run: ls, needs: [z, b] }
          - { name: b, run: ls, inject: c }
          - { name: c, command: [echo, "${{ results.a }}"] }
          - { name: d, run: ls, needs: c }
        """) == ["5:37 cycle these operations wait for each other: a → b → c → a"])
  }

  @Test("an operation that needs itself is a cycle of one")
  func selfReference() {
    #expect(
      findings("operations: [{ name: a, run: ls, needs: a }]") == ["1:41 cycle 'a' depends on itself: a → a"])
  }

  @Test("each of several cycles is reported")
  func severalCycles() {
    #expect(
      findings(
        """
        operations:
          - { name: a, run: ls, needs: b }
          - { name: b, run: ls, needs: [a, c] }
          - { name: c, run: ls, needs: d }
          - { name: d, run: ls, needs: [c, c] }
        """) == [
          "3:33 cycle these operations wait for each other: a → b → a",
          "5:33 cycle these operations wait for each other: c → d → c",
        ])
  }

  @Test(
    "of entangled cycles, each that remains without the references reported so far is reported"
  )
  func entangledCycles() {
    #expect(
      findings(
        """
        operations:
          - { name: c, run: ls, needs: [d, c] }
          - { name: d, run: ls, needs: c }
          - { name: i, run: ls, needs: [j, k] }
          - { name: j, run: ls, needs: i }
          - { name: k, run: ls, needs: i }
        """) == [
          "2:36 cycle 'c' depends on itself: c → c",
          "3:32 cycle these operations wait for each other: c → d → c",
          "5:32 cycle these operations wait for each other: i → j → i",
          "6:32 cycle these operations wait for each other: i → k → i",
        ])
  }

  @Test("of very many cycles among the same operations, ten are reported")
  func manyCycles() {
    let names = (0..<300).map { "n\($0)" }
    let lines = names.map { "  - { name: \($0), run: ls, needs: [\(names.joined(separator: ", "))] }\n" }
    let found = findings("operations:\n" + lines.joined())
    #expect(found.count == 10)
    #expect(found.first == "2:34 cycle 'n0' depends on itself: n0 → n0")
    #expect(found == findings("operations:\n" + lines.joined()))
  }

  @Test("a cycle through the order of a chain is reported at a written reference")
  func chainCycle() {
    #expect(
      findings("order: chain\noperations:\n  - { name: a, run: ls, needs: b }\n  - { name: b, run: ls }\n") == [
        "3:32 cycle these operations wait for each other: b → a → b"
      ])
  }

  @Test("only a repetition may refer to its own result")
  func ownResult() throws {
    let definition = try pipeline(
      "operations: [{ name: a, run: ls, result: int, repeat: { until: results.a > 3, limit: 9 } }]")
    #expect(definition.operations[0].dependencies.isEmpty)
    #expect(
      findings("operations: [{ name: a, run: ls, when: results.a }]") == [
        "1:40 cycle 'a' depends on itself: a → a"
      ])
  }

  @Test("a long chain is handled")
  func longChain() throws {
    let lines = (1..<5_000).map { "  - { name: n\($0), run: ls, needs: n\($0 - 1) }\n" }
    let text = "operations:\n  - { name: n0, run: ls, needs: n4999 }\n" + lines.joined()
    let found = findings(text)
    #expect(found.count == 1)
    #expect(found[0].hasPrefix("2:33 cycle") == false)
    // Five thousand names on a line would hide it.
    #expect(
      found[0].hasSuffix(
        "wait for each other: n0 → n4999 → n4998 → n4997 → n4996 → … (4992 more) → n3 → n2 → n1 → n0"))
  }
}
