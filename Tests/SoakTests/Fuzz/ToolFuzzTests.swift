import Foundation
import OperationsTesting
import PipelineLanguage
import Testing

extension Soak {
  @Suite("No file makes the tool crash or hang") struct ToolFuzzTests {
    @Test("check exits with 0 or 2 for any file")
    func check() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, limit: .seconds(60))
      for round in Soak.rounds(full: 300, short: 30) {
        var mutator = Mutator(random: SeededRandom(seed: Soak.seed &+ 1, round: round), corpus: Corpus.pipelines)
        let file = try scratch.write(mutator.next(), to: "case.yaml")
        let ending = try await tool.run(["check", file] + (round % 2 == 0 ? [] : ["--json"]))
        #expect([0, 2].contains(ending.code), "\(ending.summary.rawValue); \(Soak.place(round).rawValue)")
      }
    }

    @Test("eval exits with 0 or 2 for any expression")
    func eval() async throws {
      let scratch = try Scratch()
      let context = try scratch.write(
        #"{"params": {"limit": 20}, "results": {"fetch": [{"tag": "v1"}]}}"#, to: "context.json")
      let tool = Tool(scratch: scratch, limit: .seconds(60))
      for round in Soak.rounds(full: 150, short: 15) {
        var mutator = Mutator(random: SeededRandom(seed: Soak.seed &+ 2, round: round), corpus: Corpus.expressions)
        // An argument cannot contain NUL; the `--` allows a leading dash.
        let text = String(decoding: mutator.next(), as: UTF8.self).filter { $0 != "\0" }
        let ending = try await tool.run("eval", "--context", context, "--", text)
        #expect([0, 2].contains(ending.code), "\(ending.summary.rawValue); \(Soak.place(round).rawValue)")
      }
    }

    @Test("any valid and harmless pipeline runs to an end")
    func run() async throws {
      let scratch = try Scratch()
      // Uses a virtual clock, so that a wait of a week takes no time.
      let environment = ["PENSTOCK_TESTING_CLOCK": "virtual", "TOKEN": "hidden-token"]
      for text in Self.corpus {
        let loaded = PipelineLoader.load(text: String(decoding: text, as: UTF8.self), path: scratch("case.yaml"))
        let pipeline = try #require(loaded.pipeline, "\(loaded.diagnostics)")
        try #require(HarmlessPipeline.isHarmless(pipeline))
      }
      var runs = 0
      for round in Soak.rounds(full: 6_000, short: 600) where runs < Soak.count(full: 300, short: 25) {
        var mutator = Mutator(random: SeededRandom(seed: Soak.seed &+ 3, round: round), corpus: Self.corpus)
        let file = try scratch.write(mutator.next(spoilingUpTo: 2), to: "case.yaml")
        guard let pipeline = PipelineLoader.load(path: file).pipeline, HarmlessPipeline.isHarmless(pipeline) else {
          continue
        }
        runs += 1
        let tool = Tool(
          scratch: scratch, workspace: "space-\(round)", environment: environment, limit: .seconds(60))
        let ending = try await tool.run("run", file)
        #expect([0, 1, 2].contains(ending.code), "\(ending.summary.rawValue); \(Soak.place(round).rawValue)")
        if FileManager.default.fileExists(atPath: tool.workspacePath) { try tool.expectRest(Soak.place(round)) }
      }
      if Soak.onlyRound == nil { #expect(runs >= Soak.count(full: 200, short: 10), "few mutations were valid") }
    }

    /// Pipelines whose processes are harmless; mutations that introduce other processes do not run.
    private static let corpus = [
      """
      name: harmless
      params: { n: { type: int, default: 3 } }
      env: { A: "${{ params.n }}" }
      secrets: { token: { env: TOKEN } }
      concurrency: 2
      resources: { gpu: 2 }
      operations:
        - { name: list, run: "echo '[1, 2, 3]'", result: [int] }
        - { name: copy, inject: list, run: cat, result: json, retry: { limit: 2, base: 1ms } }
        - { name: each, for_each: "${{ results.list }}", command: [echo, "${{ item }}", "x y"], result: int, allow_failure: true }
        - { name: grid, matrix: { a: [1, 2], b: [x, y] }, value: "${{ item.a }}${{ item.b }}", exclusive: "e${{ item.a }}" }
        - { name: fails, run: "false", allow_failure: true, timeout: 5s }
        - { name: skipped, needs: [fails], when: "${{ failure() }}", value: 1 }
        - { name: pause, wait: 2h }
        - { name: again, value: "${{ format('{0}x', results.list[0]) }}", repeat: { every: 1s, limit: 3, until: "${{ results.again == '3x' }}" } }
        - { name: hidden, env: { T: "${{ secrets.token }}" }, stdin: "${{ secrets.token }}", run: cat, result: string, resources: { gpu: 1 } }
        - { name: last, needs: [each, grid, fails, skipped, pause, hidden], inject: { x: "${{ toJSON(results.each) }}" }, run: "true", stale_after: 1h }
      after:
        always: [{ name: end, run: echo hello }]
        failure: [{ name: sorry, value: "${{ toJSON(errors) }}" }]
      """,
      """
      order: chain
      operations:
        - { name: a, command: ["true"] }
        - { name: b, run: echo hello, result: string }
        - { name: c, value: { deep: [1, "${{ results.b }}", { x: null }] } }
        - { name: d, inject: "${{ results.c.deep }}", requires: [json], command: [cat], result: json }
        - { name: e, value: "${{ length(results.d) == 3 && contains(results.b, 'ell') || fromJSON('[]') }}" }
      """,
    ].map { Array($0.utf8) }
  }
}
