import Operations
import Testing

@Suite("Injection table")
struct InjectionTableTests {
  /// A row of the table; nil stands for both values.
  struct Row: Sendable {
    let outcome: DependencyOutcomeKind
    let needsResult: Bool?
    let handlesFailure: Bool?
    let hasDefault: Bool?
    let decision: InjectionDecisionKind
  }

  static let rows = [
    Row(outcome: .succeeded, needsResult: nil, handlesFailure: nil, hasDefault: nil, decision: .run),
    Row(
      outcome: .succeededWithoutResult, needsResult: true, handlesFailure: nil, hasDefault: false,
      decision: .requirementNotSatisfied),
    Row(
      outcome: .succeededWithoutResult, needsResult: true, handlesFailure: nil, hasDefault: true,
      decision: .runWithoutResult),
    Row(
      outcome: .succeededWithoutResult, needsResult: false, handlesFailure: nil, hasDefault: nil,
      decision: .runWithoutResult),
    Row(outcome: .failed, needsResult: nil, handlesFailure: false, hasDefault: nil, decision: .dependencyFailed),
    Row(outcome: .failed, needsResult: nil, handlesFailure: true, hasDefault: nil, decision: .runWithoutResult),
    Row(outcome: .failedAllowed, needsResult: nil, handlesFailure: nil, hasDefault: nil, decision: .runWithoutResult),
    Row(outcome: .cancelled, needsResult: nil, handlesFailure: nil, hasDefault: nil, decision: .dependencyCancelled),
    Row(outcome: .skipped, needsResult: nil, handlesFailure: nil, hasDefault: false, decision: .skip),
    Row(outcome: .skipped, needsResult: nil, handlesFailure: nil, hasDefault: true, decision: .runWithoutResult),
  ]

  private func requests(_ row: Row) -> [InjectionRequest] {
    var requests: [InjectionRequest] = []
    for needs in [true, false] where row.needsResult ?? needs == needs {
      for handles in [true, false] where row.handlesFailure ?? handles == handles {
        for hasDefault in [true, false] where row.hasDefault ?? hasDefault == hasDefault {
          requests.append(InjectionRequest(needsResult: needs, handlesFailure: handles, hasDefault: hasDefault))
        }
      }
    }
    return requests
  }

  @Test("Each outcome and request has its decision", arguments: rows)
  func decides(_ row: Row) {
    for request in requests(row) {
      #expect(InjectionTable.decide(row.outcome, request) == row.decision, "\(row.outcome) \(request)")
    }
  }

  @Test("The table is complete and has no duplicates")
  func complete() {
    #expect(Self.rows.map { requests($0).count }.reduce(0, +) == DependencyOutcomeKind.allCases.count * 8)
  }

  @Test("A dependent that decides itself runs regardless of the dependency's outcome", arguments: rows)
  func decidesItself(_ row: Row) {
    for var request in requests(row) {
      request.decidesItself = true
      let expected: InjectionDecisionKind = row.outcome == .succeeded ? .run : .runWithoutResult
      #expect(InjectionTable.decide(row.outcome, request) == expected, "\(row.outcome) \(request)")
    }
  }

  @Test("The decision with its errors agrees with the table, and carries the dependency's error")
  func generic() {
    let outcomes: [DependencyOutcome<Int>] = [
      .succeeded(1), .succeededWithoutResult, .failed(TestError(number: 1)), .failedAllowed(TestError(number: 2)),
      .cancelled(nil), .cancelled(TestError(number: 3)), .skipped,
    ]
    for outcome in outcomes {
      for row in Self.rows where row.outcome == outcome.kind {
        for request in requests(row) {
          let decision = InjectionDecision(outcome, request)
          #expect(decision.kind == row.decision)
          switch decision {
          case .runWithoutResult(let error): #expect(error as? TestError == outcome.error as? TestError)
          case .cancel(let error):
            #expect(error.code == row.decision.cancellationCode)
            #expect(error.underlyingError as? TestError == outcome.error as? TestError)
          case .run, .skip: #expect(row.decision.cancellationCode == nil)
          }
        }
      }
    }
  }

  @Test("The strongest of several decisions wins")
  func strongest() {
    let ordered: [InjectionDecisionKind] = [
      .run, .runWithoutResult, .skip, .requirementNotSatisfied, .dependencyCancelled, .dependencyFailed,
    ]
    #expect(InjectionDecisionKind.allCases.sorted() == ordered)
    for (index, weak) in ordered.enumerated() {
      for strong in ordered[index...] {
        #expect(InjectionTable.combine([weak, strong]) == strong)
        #expect(InjectionTable.combine([strong, weak]) == strong)
      }
    }
    #expect(InjectionTable.combine([]) == .run)
    #expect(ordered.filter(\.runs) == [.run, .runWithoutResult])
  }

  @Test("The error of the first of equally strong decisions is used")
  func firstError() {
    let combined = InjectionDecision.combine([
      .run, .skip, .cancel(.dependencyFailed(TestError(number: 1))), .cancel(.dependencyCancelled(nil)),
      .cancel(.dependencyFailed(TestError(number: 2))),
    ])
    guard case .cancel(let error) = combined else {
      Issue.record("not cancelled: \(combined)")
      return
    }
    #expect(error.underlyingError as? TestError == TestError(number: 1))
    #expect(InjectionDecision.combine([]).kind == .run)
  }

  @Test("The codes of cancellations are stable")
  func codes() {
    #expect(
      InjectionDecisionKind.allCases.map(\.cancellationCode) == [
        nil, nil, nil, "requirement-not-satisfied", "dependency-cancelled", "dependency-failed",
      ])
  }
}
