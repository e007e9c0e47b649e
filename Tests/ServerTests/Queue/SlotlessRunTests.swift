import Foundation
import PipelineLanguage
import RunHistory
import RunReports
import Testing

@Suite("A run whose host has no slot for its operations")
struct SlotlessRunTests {
  private static let working = "operations: [{ name: work, run: exec sleep 60 }, { name: rest, run: exec sleep 60 }]\n"
  private static let wait = "the one process that `limits.processes` of the host allows, held by 'work' of run"

  @Test(
    "is reported as waiting in the status of its pipeline, even if a nested run waits",
    arguments: [
      ("two", "'work' and 1 more wait for \(wait)"), ("nesting", "'outer/work' and 1 more wait for \(wait)"),
      ("looping", "'loop' waits for \(wait)"),
    ])
  func status(name: String, words: String) async throws {
    let bench = try ServerBench([
      "one": Self.working, "two": Self.working,
      "nesting": "operations: [{ name: outer, pipeline: _parts/inner.yaml }]",
      "looping": "operations: [{ name: loop, for_each: [1, 2, 3], run: exec sleep 60 }]",
    ]) { configuration in
      configuration.use(
        HostDefinition.load(text: "limits: { processes: 1 }\ndrain: 0s", path: "host.yaml").host
          ?? HostDefinition())
    }
    try FileManager.default.createDirectory(atPath: bench.folder + "/_parts", withIntermediateDirectories: true)
    try bench.write(Self.working, to: "_parts/inner")
    try await bench.serve { _, history in
      let holder = try bench.start("one", in: history)
      try await eventually { try history.operations(of: holder).contains { $0.state == .running } }
      let run = try bench.start(name, in: history)
      func reason() throws -> String? { try StatusReport(of: [name], in: history).entries.first?.reason }
      let words = "\(words) \(short(holder, in: history))"
      try await eventually { try reason() == "run \(short(run, in: history)): \(words)" }
      let sentence =
        "Run \(short(run, in: history)): \(words); it begins when another operation ends; `limits.processes` of the host allows more at once."
      let explanation = try #require(try PipelineExplanation(of: name, in: history))
      #expect(explanation.sentences.contains(sentence))
      // Something of this one is at work.
      #expect(
        try StatusReport(of: ["one"], in: history).entries.first?.reason == "run \(short(holder, in: history))")
    }
  }
}
