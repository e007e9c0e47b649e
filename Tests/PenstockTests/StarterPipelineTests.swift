import Testing

@testable import PipelineLanguage
@testable import penstock

@Suite("The file that `init` writes")
struct StarterPipelineTests {
  @Test("loads without findings")
  func starter() {
    let name = StarterPipeline.name(forFile: "some/nightly build.yaml")
    #expect(name == "nightly-build")
    let result = PipelineLoader.load(text: StarterPipeline.text(name: name), path: "nightly.yaml")
    #expect(result.diagnostics.isEmpty)
    #expect(result.pipeline?.operations.map(\.name) == ["list", "count", "greet"])
    #expect(StarterPipeline.name(forFile: "7.yml") == "pipeline")
  }
}
