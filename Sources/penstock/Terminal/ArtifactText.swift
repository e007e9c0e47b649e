import PipelineLanguage
import RunReports
import Values

/// Formats artifacts as a table.
enum ArtifactText {
  static func table(_ artifacts: [RunArtifact]) -> Table {
    var table = Table([
      .init("OPERATION", names: true), .init("ARTIFACT"), .init("FILES", right: true), .init("SIZE", right: true),
      .init("PATH"),
    ])
    for entry in artifacts {
      let paths = entry.artifact.paths
      let more = paths.count > 1 ? ", and \(paths.count - 1) more" : ""
      table.add(
        TerminalText.name(entry.operation, label: entry.label), entry.artifact.name, String(entry.artifact.files),
        SizeNotation.format(entry.artifact.size), TerminalText.oneLine((paths.first ?? "none") + more))
    }
    return table
  }
}
