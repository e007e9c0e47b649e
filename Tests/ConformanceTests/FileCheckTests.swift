import Testing

/// Cases that only check files run in this process. Their output must equal that of the tool, byte for byte.
@Suite("Checks in the test process")
struct FileCheckTests {
  private struct Compared {
    let name: String
    let here: [CaseRun.Outcome]
    let expectation: Expectation
    let conformanceCase: ConformanceCase

    /// The kinds of outcomes of all steps.
    var kinds: Set<String> {
      var kinds: Set<String> = []
      for (step, outcome) in zip(expectation.steps, here) {
        if step.script.contains("--json") { kinds.insert("JSON") }
        if outcome.exitCode == 0 {
          kinds.insert(outcome.error.isEmpty ? "well" : "warnings")
        } else {
          kinds.insert("errors")
        }
      }
      if !expectation.files.isEmpty { kinds.insert("several files") }
      return kinds
    }
  }

  /// All cases that run here.
  private static func all() async throws -> [Compared] {
    var found: [Compared] = []
    for conformanceCase in ConformanceCase.all {
      let expectation = try conformanceCase.expectation()
      guard let here = try await FileChecks(conformanceCase, expectation)?.outcomes() else { continue }
      found.append(
        Compared(name: conformanceCase.name, here: here, expectation: expectation, conformanceCase: conformanceCase))
    }
    return found
  }

  @Test("have the tool's output and exit code") func tool() async throws {
    let all = try await Self.all()
    #expect(all.count >= 100, "most cases that only check files run here")
    // The first three of each kind, and every tenth.
    var seen: [String: Int] = [:]
    var compared = 0
    for (number, entry) in all.enumerated() {
      for kind in entry.kinds { seen[kind, default: 0] += 1 }
      guard number % 10 == 0 || entry.kinds.contains(where: { seen[$0, default: 0] <= 3 }) else { continue }
      compared += 1
      let tool = try await CaseRun(entry.conformanceCase, entry.expectation).toolOutcomes()
      #expect(entry.here == tool, "\(entry.name)")
    }
    #expect(Set(seen.keys) == ["JSON", "well", "warnings", "errors", "several files"])
    #expect(compared >= 15)
  }
}
