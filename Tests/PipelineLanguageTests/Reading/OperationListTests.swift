import Testing

@testable import PipelineLanguage

/// Lists that are long enough to be read by several threads.
@Suite("A long list of operations")
struct OperationListTests {
  /// Returns a list of 1,200 operations, one per line, in which `lines` replace those with these numbers.
  private func text(with lines: [Int: String] = [:], head: String = "") -> String {
    let operations = (0..<1200).map { number in
      lines[number] ?? "{ name: o\(number), value: \(number)\(number == 0 ? "" : ", needs: [o\(number - 1)]") }"
    }
    return head + "operations:\n" + operations.map { "  - \($0)\n" }.joined()
  }

  @Test("is read in order")
  func order() throws {
    let definition = try pipeline(text())
    #expect(definition.operations.map(\.name) == (0..<1200).map { "o\($0)" })
    #expect(definition.operations.map(\.index) == Array(0..<1200))
    #expect(definition.operations.map(\.range.start.line) == Array(2..<1202))
    #expect(definition.operations.dropFirst().allSatisfy { $0.dependencies == [$0.index - 1] })
  }

  @Test("has all of its errors reported in order")
  func mistakes() {
    #expect(
      findings(
        text(with: [
          3: "{ name: o3, value: 1, shel: x }", 600: "{ name: o600, value: '${{ nope }}' }",
          1199: "{ name: o3, value: 1 }",
        ]))
        == [
          "5:27 unknown-key an operation has no key 'shel' (did you mean 'shell'?)",
          "602:31 unknown-context unknown context 'nope'",
          "1201:13 duplicate-name the name 'o3' is already used on line 5",
        ])
  }

  @Test("has an item that is not an operation left out")
  func other() {
    #expect(
      findings(text(with: [700: "nothing", 701: "{ name: o701, value: 1 }"])) == [
        "702:5 wrong-form an operation needs a mapping, found 'nothing'"
      ])
  }

  @Test("has its conditions checked together with those of other places")
  func formulas() {
    let head = "specifications:\n  calm: file-exists(calm)\n  wild: file-exists(wild)\n  late: file-exists(late)\n"
    var lines = [10: "{ name: o10, value: 1, run_when: calm }", 1100: "{ name: o1100, value: 1, run_when: late }"]
    #expect(
      findings(text(with: lines, head: head)) == [
        "3:3 warning unused-specification nothing uses the specification 'wild'"
      ])
    lines[900] = "{ name: o900, value: 1, run_when: clam }"
    #expect(
      findings(text(with: lines, head: head)) == [
        "906:39 unknown-specification there is no specification 'clam' (did you mean 'calm'?)"
      ])
  }
}
