import Testing

// # The conformance suite
//
// Runs the built `penstock` over the cases in `Tests/Conformance`, each of which is a tiny pipeline with its expectation next to it, without any
// knowledge of the tool's implementation; cases that only check files run in this process (`FileChecks`). `Tests/Conformance/README.md` describes
// cases. Read first: `ConformanceCase` (a case on disk), `Expectation` (its format), `CaseRun` (one run).

/// What `penstock` does, as seen from outside.
@Suite("Conformance")
struct ConformanceTests {
  @Test("behaves as the case says", .timeLimit(.minutes(10)), arguments: ConformanceCase.selected)
  func conforms(_ conformanceCase: ConformanceCase) async throws {
    let expectation = try conformanceCase.expectation()
    try await CaseSlots.shared.withSlot {
      guard let reason = expectation.knownProblem else { return try await check(conformanceCase, expectation) }
      // A case that now passes is reported too, so that its mark is removed.
      await withKnownIssue("\(conformanceCase.name): \(reason)") { try await check(conformanceCase, expectation) }
    }
  }

  @Test("every pipeline in the suite has its expectation")
  func everyPipelineHasItsExpectation() throws {
    let lonely = ConformanceCase.pipelinesWithoutExpectation
    #expect(lonely.isEmpty, "these pipelines have no '.expected' beside them: \(lonely.joined(separator: ", "))")
    // Fewer means that the suite was not found, or that a part is missing.
    #expect(ConformanceCase.all.count >= 120)
  }

  private func check(_ conformanceCase: ConformanceCase, _ expectation: Expectation) async throws {
    let differences = try await CaseRun(conformanceCase, expectation).differences()
    guard !differences.isEmpty else { return }
    Issue.record("\(conformanceCase.name)\n\n\(differences.joined(separator: "\n\n"))")
  }
}
