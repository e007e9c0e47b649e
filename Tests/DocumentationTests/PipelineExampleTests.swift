import Foundation
import PipelineLanguage
import Testing

@Suite("Pipelines in documents")
struct PipelineExampleTests {
  @Test("load without a finding", arguments: Documents.pipelines)
  func load(example: Example) {
    let result = PipelineLoader.load(
      text: example.pipeline, path: Documents.root.path + "/examples/example.yaml",
      plugins: example.flags.contains("plugins") ? .unchecked : .none)
    #expect(result.pipeline != nil)
    #expect(result.diagnostics.map(\.message) == [], "\(example.pipeline)")
  }

  @Test("that are shown as wrong are refused", arguments: Documents.examples.filter { $0.flags.contains("wrong") })
  func wrong(example: Example) {
    #expect(PipelineLoader.load(text: example.pipeline, path: "example.yaml").pipeline == nil)
  }

  @Test("run and succeed", arguments: Documents.pipelines.filter { $0.flags.contains("run") })
  func run(example: Example) async throws {
    let tool = try Tool()
    defer { tool.remove() }
    try tool.write(example.pipeline, to: "example.yaml")
    let outcome = try await tool.shell("penstock run example.yaml")
    #expect(outcome.status.isSuccess, "\(outcome.output)")
  }

  @Test("of the examples folder load without a finding", arguments: Documents.files)
  func files(path: String) async throws {
    guard !path.hasPrefix("examples/plugins/") else {
      // Only the tool has plugins.
      let tool = try Tool()
      defer { tool.remove() }
      let outcome = try await tool.shell("penstock check '\(Documents.root.appendingPathComponent(path).path)'")
      #expect(outcome.status.isSuccess, "\(outcome.output)")
      return
    }
    let result = PipelineLoader.load(path: Documents.root.appendingPathComponent(path).path)
    #expect(result.pipeline != nil)
    #expect(result.diagnostics.map(\.message) == [])
  }
}
