import Testing

@testable import PipelineLanguage

/// Loads what tests of specifications write.
enum SpecificationFixture {
  /// What loading `text` finds.
  static func found(_ text: String) -> [String] {
    PipelineLoader.load(text: text, path: "test.yaml").diagnostics.map(shown)
  }

  static let work = "operations: [{name: x, run: ls}]\n"

  static func loaded(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PipelineDefinition {
    let result = PipelineLoader.load(text: text, path: "test.yaml")
    return try #require(
      result.pipeline, Comment(rawValue: result.diagnostics.map(shown).joined(separator: "\n")),
      sourceLocation: sourceLocation)
  }

  /// What is found in an operation that has `line` beside its action, with the specifications `online` and `office-hours`.
  static func found(inOperation line: String) -> [String] {
    found(
      """
      specifications: { online: connected, office-hours: foreground }
      automatic: online && office-hours
      operations:
        - name: x
          run: ls
          \(line)
      """)
  }
}
