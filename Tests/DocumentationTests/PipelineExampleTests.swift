import Foundation
import PipelineLanguage
import Testing

@Suite("Pipelines in documents")
struct PipelineExampleTests {
  @Test("load without findings", arguments: Documents.pipelines.filter { $0.file == nil })
  func load(example: Example) {
    var files: [String: String] = [:]
    for other in Documents.files(of: example) { files["\(Documents.root.path)/examples/\(other.name)"] = other.text }
    let result = PipelineLoader.load(
      text: example.text, path: Documents.root.path + "/examples/example.yaml", nested: files,
      plugins: example.flags.contains("plugins") ? .unchecked : .none)
    #expect(result.pipeline != nil)
    #expect(result.diagnostics.map(\.message) == [], "\(example.text)")
  }

  @Test(
    "load without findings as the file that they are, beside the others of their document",
    arguments: Documents.pipelines.filter { $0.file != nil })
  func file(example: Example) throws {
    let tool = try Tool()
    defer { tool.remove() }
    // A file that is shown several times is, for each of them, what it was last.
    for other in Documents.examples where other.document == example.document && other.line < example.line {
      if let name = other.file { try tool.write(other.text, to: name) }
    }
    let name = try #require(example.file)
    try tool.write(example.text, to: name)
    let result = PipelineLoader.load(
      path: tool.directory.appendingPathComponent(name).path,
      plugins: example.flags.contains("plugins") ? .unchecked : .none)
    #expect(result.pipeline != nil)
    #expect(result.diagnostics.map(\.message) == [], "\(example.text)")
  }

  @Test("that are files to include have no findings", arguments: Documents.shared)
  func shared(example: Example) {
    var files: [String: String] = [:]
    for other in Documents.files(of: example) { files["/p/\(other.name)"] = other.text }
    let result = PipelineLoader.load(text: example.text, path: "/p/example.yaml", nested: files)
    #expect(result.templateCount != nil)
    #expect(result.ownDiagnostics.map(\.message) == [])
  }

  @Test("that are files of hosts have no findings", arguments: Documents.hosts)
  func hosts(example: Example) {
    #expect(HostDefinition.load(text: example.text, path: "/p/host.yaml").diagnostics.map(\.message) == [])
  }

  @Test("that are shown as wrong are rejected", arguments: Documents.examples.filter { $0.flags.contains("wrong") })
  func wrong(example: Example) {
    #expect(PipelineLoader.load(text: example.text, path: "example.yaml").pipeline == nil)
  }

  @Test("run and succeed", arguments: Documents.pipelines.filter { $0.flags.contains("run") })
  func run(example: Example) async throws {
    let tool = try Tool()
    defer { tool.remove() }
    for other in Documents.files(of: example) { try tool.write(other.text, to: other.name) }
    try tool.write(example.text, to: "example.yaml")
    let outcome = try await tool.shell("penstock run example.yaml")
    #expect(outcome.status.isSuccess, "\(outcome.output)")
  }

  @Test("of the examples folder load without findings", arguments: Documents.files)
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
