import PipelineLanguage
import Testing

/// Returns the findings from loading `text`, one per line: `line:column code message (fix)`, with warnings marked.
func findings(_ text: String, path: String = "test.yaml") -> [String] {
  PipelineLoader.load(text: text, path: path).diagnostics.map(shown)
}

/// Formats a finding on one line.
func shown(_ finding: Diagnostic) -> String {
  let place = "\(finding.range.start.line):\(finding.range.start.column)"
  let severity = finding.severity == .warning ? "warning " : ""
  return "\(place) \(severity)\(finding.code) \(finding.message)" + (finding.fix.map { " (\($0))" } ?? "")
}

/// Returns the pipeline in `text`, which must have no errors.
func pipeline(
  _ text: String, path: String = "test.yaml", sourceLocation: SourceLocation = #_sourceLocation
) throws -> PipelineDefinition {
  let result = PipelineLoader.load(text: text, path: path)
  return try #require(
    result.pipeline, Comment(rawValue: result.diagnostics.map(shown).joined(separator: "\n")),
    sourceLocation: sourceLocation)
}

/// Returns the findings about a pipeline with one operation `x`, whose other lines are `lines`.
func findings(inOperation lines: String...) -> [String] {
  findings("operations:\n  - name: x\n" + lines.map { "    \($0)\n" }.joined())
}

/// Returns the only operation of such a pipeline, which must have no errors.
func operation(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> OperationDefinition {
  let text = "operations:\n  - name: x\n" + lines.map { "    \($0)\n" }.joined()
  let definition = try pipeline(text, sourceLocation: sourceLocation)
  return try #require(definition.operations.first)
}
