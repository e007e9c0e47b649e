import Testing
import Values

@testable import RunHistory

/// The outcome of an operation, by how an earlier one ended, what its `when` mentions, and whether that one is a direct dependency.
@Suite("The outcome of a dependent") struct OutcomeTableTests {
  /// How the operation `d` ends, with the operations before it.
  enum End: String, CaseIterable {
    case succeeded = "{ name: d, value: 1 }"
    case withoutResult = "{ name: d, run: fine }"
    case failed = "{ name: d, run: broken }"
    case failedAllowed = "{ name: d, run: broken, allow_failure: true }"
    case skipped = "{ name: d, when: 1 == 2, value: 1 }"
    case skippedByItsGate = "{ name: d, run_when: never, otherwise: skip, value: 1 }"
    case cancelledByAFailure = "{ name: c, run: broken }, { name: d, needs: c, run: fine }"
    case cancelledForALackOfAResult = "{ name: c, run: fine }, { name: d, inject: c, run: fine }"

    var state: String {
      switch self {
      case .succeeded, .withoutResult: "succeeded"
      case .failed, .failedAllowed: "failed"
      case .skipped, .skippedByItsGate: "skipped"
      case .cancelledByAFailure, .cancelledForALackOfAResult: "cancelled"
      }
    }
  }

  static let (runs, isFalse) = ("succeeded", "skipped condition")
  static let (skips, fails, cancels) = (
    "skipped dependency-skipped", "cancelled dependency-failed", "cancelled dependency-cancelled"
  )
  /// Conditions that require a success up to here unless they say otherwise.
  static let whens = [nil, "success()", "failure()", "success() || failure()", "!failure()", "!success()"]

  /// For each end, the outcome of a direct dependent with each of `whens`.
  static let near: [End: [String]] = [
    .succeeded: [runs, runs, isFalse, runs, runs, isFalse],
    .withoutResult: [runs, runs, isFalse, runs, runs, isFalse],
    .failed: [fails, fails, runs, runs, isFalse, runs],
    .failedAllowed: [runs, runs, runs, runs, isFalse, isFalse],
    .skipped: [skips, skips, isFalse, isFalse, runs, runs],
    .skippedByItsGate: [skips, skips, isFalse, isFalse, runs, runs],
    .cancelledByAFailure: [cancels, cancels, runs, runs, isFalse, runs],
    .cancelledForALackOfAResult: [cancels, cancels, runs, runs, isFalse, runs],
  ]

  /// The same with an operation in between that always runs.
  static let far: [End: [String]] = [
    .succeeded: [runs, runs, isFalse, runs, runs, isFalse],
    .withoutResult: [runs, runs, isFalse, runs, runs, isFalse],
    .failed: [fails, fails, runs, runs, isFalse, runs],
    .failedAllowed: [runs, runs, isFalse, runs, runs, isFalse],
    .skipped: [runs, runs, isFalse, runs, runs, isFalse],
    .skippedByItsGate: [runs, runs, isFalse, runs, runs, isFalse],
    .cancelledByAFailure: [fails, fails, runs, runs, isFalse, runs],
    .cancelledForALackOfAResult: [cancels, cancels, runs, runs, isFalse, runs],
  ]

  /// Conditions that are evaluated however the others ended, with the outcome in a run that is not cancelled.
  static func always(_ end: End) -> [(String, String)] {
    [
      ("always()", runs), ("!cancelled()", runs), ("cancelled()", isFalse),
      ("operations.d.state == '\(end.state)'", runs),
      ("operations.d.state == 'running'", isFalse),
      ("always() && results.d == \(end == .succeeded ? "1" : "null")", runs),
      ("always() && (errors.d == null) == \(end.state == "succeeded" || end.state == "skipped")", runs),
    ]
  }

  private func outcome(_ end: End, _ between: String, _ when: String?, loop: Bool = false) async throws -> String {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]]))
    let condition = when.map { ", when: \"\($0)\"" } ?? ""
    let items = loop ? ", for_each: [1]" : ""
    let needs = between.isEmpty ? "d" : "between"
    let run = try await host.run(
      "operations: [\(end.rawValue)\(between), { name: x, needs: \(needs)\(condition)\(items), value: 2 }]")
    await host.close()
    return String(run.states.first { $0.hasPrefix("x ") }?.dropFirst(2) ?? "")
  }

  @Test("a direct dependency decides as specified in the table", arguments: End.allCases)
  func direct(_ end: End) async throws {
    for (when, expected) in zip(Self.whens, try #require(Self.near[end])) {
      #expect(try await outcome(end, "", when) == expected, "when: \(when ?? "nothing")")
    }
  }

  @Test("an indirect dependency decides as specified in the table", arguments: End.allCases)
  func distant(_ end: End) async throws {
    for (when, expected) in zip(Self.whens, try #require(Self.far[end])) {
      let between = ", { name: between, needs: d, when: always(), value: 1 }"
      #expect(try await outcome(end, between, when) == expected, "when: \(when ?? "nothing")")
    }
  }

  @Test(
    "an operation that mentions always(), cancelled() or the state of another is evaluated however that ended",
    arguments: End.allCases)
  func asked(_ end: End) async throws {
    let between = ", { name: between, needs: d, value: 1 }"
    for (when, expected) in Self.always(end) {
      #expect(try await outcome(end, "", when) == expected, "when: \(when)")
      #expect(try await outcome(end, between, when) == expected, "far, when: \(when)")
    }
  }

  @Test("a loop is evaluated like any other operation, and so is each of its items", arguments: End.allCases)
  func loops(_ end: End) async throws {
    #expect(try await outcome(end, "", "always()", loop: true) == Self.runs)
    #expect(try await outcome(end, "", "always() && item == 1", loop: true) == Self.runs)
    #expect(try await outcome(end, "", "failure() && item == 1", loop: true) == Self.runs)
  }

  @Test("a default for a missing result lets an operation run after a skipped one, and counts as a success")
  func defaults() async throws {
    let host = try EngineTestHost()
    let run = try await host.run(
      """
      operations:
        - { name: d, when: 1 == 2, value: 1 }
        - { name: x, value: "${{ results.d || 2 }}" }
        - { name: y, when: success(), value: "${{ results.d || 3 }}" }
        - { name: z, needs: [x, y], value: 4 }
      """)
    #expect(run.states == ["d skipped condition", "x succeeded", "y succeeded", "z succeeded"])
    await host.close()
  }

  @Test("the first failure upstream is named as the cause") func cause() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]]))
    let run = try await host.run(
      """
      operations:
        - { name: build, run: broken }
        - { name: tidy, needs: build, when: always(), value: 1 }
        - { name: more, needs: tidy, when: always(), value: 1 }
        - { name: deploy, needs: more, value: 1 }
      """)
    let deploy = try #require(run.operations.first { $0.name == "deploy" })
    #expect(deploy.error?.message == "'build' failed: exited with code 3")
    #expect(deploy.operationReason?.culprits == ["build"])
    await host.close()
  }

  @Test("a handler is evaluated for the run, not for dependencies") func handlers() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(exits: ["broken": [3]]))
    let run = try await host.run(
      """
      operations:
        - { name: build, run: broken }
        - { name: later, needs: build, run: fine }
      after:
        always:
          - { name: a, when: always(), value: 1 }
          - { name: b, when: failure(), value: 1 }
          - { name: c, when: success(), value: 1 }
          - { name: d, when: cancelled(), value: 1 }
          - { name: e, when: operations.later.state == 'cancelled', value: 1 }
      """)
    #expect(
      run.states.suffix(5) == [
        "a succeeded", "b succeeded", "c skipped condition", "d skipped condition", "e succeeded",
      ])
    await host.close()
  }

  @Test("a loop whose failure is allowed keeps the results of its items, with null for failed or skipped ones")
  func allowedLoop() async throws {
    let host = try EngineTestHost()
    let run = try await host.run(
      """
      operations:
        - name: each
          allow_failure: true
          for_each: [1, 2, 0, 4]
          when: item != 2
          value: "${{ fromJSON(case(item == 0, 'broken', format('{0}', item))) }}"
        - { name: all, for_each: [0, 0], allow_failure: true, value: "${{ fromJSON(format('bro{0}', item)) }}" }
        - { name: none, for_each: [1], allow_failure: true, when: item == 2, value: 1 }
        - { name: first, value: "${{ results.each[0] }}" }
        - { name: length, value: "${{ length(results.each) }}" }
        - { name: lengths, value: ["${{ length(results.all) }}", "${{ length(results.none) }}"] }
      """)
    #expect(run.outcome.run.state == .succeeded)
    #expect(run.outcome.results["each"]?.text == "[1,null,null,4]")
    #expect(run.outcome.results["all"]?.text == "[null,null]")
    #expect(run.outcome.results["none"]?.text == "[null]")
    #expect(run.outcome.results["first"] == 1)
    #expect(run.outcome.results["length"] == 4)
    #expect(run.outcome.results["lengths"]?.text == "[2,1]")
    #expect(run.states.contains("each failed items-failed"))
    await host.close()
  }
}
