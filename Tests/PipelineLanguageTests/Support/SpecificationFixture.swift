import Testing

@testable import PipelineLanguage

/// Loads pipelines for tests of specifications.
enum SpecificationFixture {
  /// Returns the findings from loading `text`.
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

  /// Returns the findings for an operation with `line` beside its action, and the specifications `online` and `office-hours`.
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
