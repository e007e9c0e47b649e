import Testing

@testable import PipelineLanguage
@testable import RunHistory
@testable import RunReports

@Suite("Graphs and plans")
struct PipelineGraphTests {
  private func load(_ text: String) throws -> PipelineDefinition {
    try #require(PipelineLoader.load(text: text, path: "demo.yaml").pipeline)
  }

  private let demo = """
    name: demo
    params: { who: { type: string, default: you } }
    operations:
      - name: last
        needs: [left]
        command: [echo, "${{ results.right }}"]
      - name: left
        inject: first
        run: wc
        retry: { limit: 2, base: 100ms, jitter: none }
      - name: right
        inject: { text: "${{ results.first }}", who: "${{ params.who }}" }
        run: echo
        when: ${{ params.who != 'you' }}
      - name: first
        run: echo
    after:
      failure: [{ name: page, run: echo }]
    """

  @Test("operations are listed in a possible order of execution, with their inputs")
  func text() throws {
    #expect(
      PipelineGraph(try load(demo)).text() == """
        demo
          first  run
          left   run      ← first (standard input)  [2 retries]
          right  run      ← first ($text)  [when params.who != 'you']
          last   command  ← left, right (argument 1)
        after failure
          page   run

        """)
  }

  @Test("Mermaid and DOT have one node per operation, and escape what could end a label")
  func formats() throws {
    let graph = PipelineGraph(try load(demo))
    #expect(graph.mermaid().contains("  n0 -->|\"standard input\"| n1\n"))
    #expect(graph.mermaid().contains("  n1 -.-> n3\n"))
    #expect(graph.mermaid().contains("right<br/>when params.who != 'you'"))
    #expect(graph.dot().contains("  n1 -> n3 [style=dashed];\n"))
    #expect(graph.dot().contains("label=\"after failure\""))
    let hostile = try load("name: x\noperations:\n  - name: a\n    value: 1\n    when: ${{ 'a\"|<b>' == '' }}\n")
    #expect(PipelineGraph(hostile).mermaid().contains("#quot;#124;#lt;b#gt;"))
    #expect(PipelineGraph(hostile).dot().contains("'a\\\"|<b>'"))
  }

  @Test("a plan knows everything that params determine")
  func plan() throws {
    var options = RunOptions()
    options.parameters = ["who": "you"]
    let plan = try PlanDescription(of: load(demo), options: options, selected: nil, history: nil)
    #expect(plan.steps.map(\.definition.name) == ["first", "left", "right", "last", "page"])
    #expect(plan.steps[2].disposition == .skipped(condition: "params.who != 'you'"))
    #expect(plan.steps[2].inputs.contains { $0.input.arrival == .variable("who") && $0.value == "you" })
    #expect(plan.steps[3].disposition == .skippedWith(dependency: "right"))
  }

  @Test("a plan of a partial run leaves out the rest")
  func selection() throws {
    var options = RunOptions()
    options.parameters = ["who": "me"]
    let pipeline = try load(demo)
    let left = try #require(pipeline.operations.firstIndex { $0.name == "left" })
    let last = try #require(pipeline.operations.firstIndex { $0.name == "last" })
    let plan = try PlanDescription(of: pipeline, options: options, selected: [left, last], history: nil)
    #expect(plan.steps.map(\.disposition) == [.leftOut, .runs, .leftOut, .runs, .runs])
  }

  @Test("the retries of an operation are described in words")
  func retry() throws {
    let pipeline = try load(demo)
    #expect(pipeline.operations[1].retrySummary == "up to 2 retries, exponential from 100ms to 1m")
    #expect(pipeline.operations[0].retrySummary == nil)
  }
}
