import Testing
import Values

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("What a retry runs again") struct RetryPlanTests {
  private static let text = """
    params: { limit: int, files: "[string]" }
    env: { LIMIT: "${{ params.limit }}" }
    operations:
      - { name: fetch, value: 1 }
      - { name: build, needs: fetch, value: "${{ results.fetch }}" }
      - { name: pack, inject: build, run: pack }
      - { name: each, for_each: "${{ params.files }}", value: "${{ item }}" }
      - { name: tidy, needs: send, when: always(), value: 3 }
      - { name: sum, needs: lint, value: 4 }
      - { name: lint, value: 5, allow_failure: true }
      - { name: send, needs: [pack, each], value: 6 }
    """

  /// Returns the plan for a run in which everything had succeeded, except as given in `states`.
  private func plan(
    _ states: [String: RunHistory.OperationState] = [:], text: String = text, parameters: [String: JSONValue] = [:],
    selection: RunOptions.Selection = .all, trigger: RunTrigger = .retry, isForced: Bool = false
  ) throws -> (plan: RetryPlan?, pipeline: PipelineDefinition) {
    let before = try #require(PipelineLoader.load(text: Self.text, path: "/p/p.yaml").pipeline)
    let loaded = PipelineLoader.load(text: text, path: "/p/p.yaml")
    let pipeline = try #require(loaded.pipeline, "\(loaded.diagnostics.map(\.message))")
    var run = RunRecord(
      id: .generate(), pipeline: "p", definitionHash: "", path: "/p/p.yaml", host: "", user: "", version: "",
      state: .failed)
    run.params = #"{"limit":1,"files":["a"]}"#
    let operations = before.operations.enumerated().map { index, operation in
      OperationRecord(
        run: run.id, ordinal: index, name: operation.name, position: index,
        state: states[operation.name] ?? .succeeded)
    }
    let source = RecordedRun(
      run: run, definition: Self.text, operations: operations, attempts: [], approvals: [])
    var options = RunOptions()
    options.trigger = trigger
    options.selection = selection
    options.isForced = isForced
    options.parameters = ["limit": 1, "files": ["a"]].merging(parameters) { $1 }
    return (RetryPlan(of: pipeline, options: options, from: source), pipeline)
  }

  /// Returns the names with the reasons, in the order of the file.
  private func again(_ planned: (plan: RetryPlan?, pipeline: PipelineDefinition)) throws -> [String] {
    let plan = try #require(planned.plan)
    return planned.pipeline.operations.indices.compactMap { position in
      plan.again[position].map { "\(planned.pipeline.operations[position].name): \($0.text())" }
    }
  }

  @Test("nothing if nothing has changed")
  func nothing() throws {
    #expect(try again(plan()) == [])
    #expect(try again(plan(["send": .failed, "tidy": .skipped])) == [])
  }

  @Test("an operation with a changed definition, with everything that depends on it")
  func definition() throws {
    let changed = Self.text.replacing("value: 1 }", with: "value: 7 }")
    #expect(
      try again(plan(text: changed)) == [
        "fetch: its definition has changed", "build: it depends on 'fetch'", "pack: it depends on 'fetch'",
        "tidy: it depends on 'fetch'", "send: it depends on 'fetch'",
      ])
  }

  @Test("an operation that refers to a param with another value, even through the environment")
  func parameters() throws {
    let planned = try plan(parameters: ["limit": 2])
    #expect(
      try again(planned) == [
        "pack: the param 'limit' has changed", "tidy: it depends on 'pack'", "send: it depends on 'pack'",
      ])
  }

  @Test("a loop with changed items, of which it reuses unchanged ones unless it depends on what runs again")
  func items() throws {
    var planned = try plan(parameters: ["files": ["a", "b"]])
    let place = 3
    #expect(try again(planned).first == "each: the param 'files' has changed")
    #expect(planned.plan?.takesOverParts(of: place) == true)
    let changed = Self.text.replacing("value: \"${{ item }}\"", with: "value: \"${{ item }}\", needs: fetch")
      .replacing("value: 1 }", with: "value: 7 }")
    planned = try plan(text: changed, parameters: ["files": ["a", "b"]])
    #expect(planned.plan?.runs(place) == true)
    #expect(planned.plan?.takesOverParts(of: place) == false)
  }

  @Test(
    "an operation whose `when` depends on the outcome of one that failed or was cancelled",
    arguments: [OperationState.failed, .cancelled])
  func outcomes(state: RunHistory.OperationState) throws {
    #expect(try again(plan(["send": state])) == ["tidy: it depends on the outcome of 'send'"])
    #expect(try again(plan(["send": .skipped])) == [])
  }

  @Test("dependents of an operation that had not succeeded are decided later")
  func conditional() throws {
    let planned = try plan(["lint": .failed])
    #expect(try again(planned) == [])
    #expect(planned.plan?.conditional == [5: [6]])
  }

  @Test("an operation that depends on a new one")
  func new() throws {
    let added = Self.text + "\n  - { name: late, value: 9 }"
    #expect(try again(plan(text: added)) == [])
    let needed = added.replacing("needs: [pack, each]", with: "needs: [pack, each, late]")
    #expect(try again(plan(text: needed)) == ["tidy: it depends on 'late'", "send: it depends on 'late'"])
  }

  @Test("a chosen operation needs no reason, and a partial or complete run needs no plan")
  func chosen() throws {
    let changed = Self.text.replacing("value: 1 }", with: "value: 7 }")
    #expect(
      try again(plan(text: changed, selection: .from(operation: "build"))) == ["fetch: its definition has changed"])
    #expect(try plan(selection: .only(operation: "build")).plan == nil)
    #expect(try plan(selection: .from(operation: "build"), trigger: .manual).plan == nil)
    #expect(try plan(isForced: true).plan == nil)
  }
}
