import OperatingSystem
import PluginHost

/// The page of all finding codes, generated from the table that defines them.
public enum DiagnosticReference {
  /// Returns the sections as Markdown: a list of all codes, then a heading for each subject, and one for each code with an example and its
  /// findings.
  public static func markdown() -> String {
    var text = ""
    for section in DiagnosticTable.sections {
      let anchor = section.title.lowercased().replacing(" ", with: "-")
      let codes = section.rows.map { "[`\($0.code)`](#\($0.code))" }
      text += "- [\(section.title)](#\(anchor)): \(codes.joined(separator: ", "))\n"
    }
    text += "\n"
    for section in DiagnosticTable.sections {
      text += "## \(section.title)\n\n"
      for row in section.rows { text += markdown(row) }
    }
    return text
  }

  private static func markdown(_ row: DiagnosticRow) -> String {
    var text = "### \(row.code)\n\n\(row.meaning)\n\n"
    switch row.example {
    case .situation(let situation): text += "For example: \(situation)\n\n"
    case .file(let file, let others):
      text += "```yaml finding\n\(file)\n```\n\n"
      for (name, other) in others.sorted(by: { $0.key < $1.key }) {
        text += "with `\(name)`:\n\n```yaml finding\n\(other)```\n\n"
      }
      let result = row.load()
      let findings = DiagnosticRenderer().render(result.diagnostics, in: result.sources)
      // Drops the last line, which counts the findings.
      text += "```text\n\(findings.split(separator: "\n").dropLast().joined(separator: "\n"))\n```\n\n"
    }
    return text + "\(row.fix)\n\n"
  }
}

extension DiagnosticRow {
  /// Loads the example; returns an empty result for a situation.
  func load() -> LoadResult {
    guard case .file(let text, let others) = example else {
      return LoadResult(pipeline: nil, diagnostics: [], sources: [])
    }
    var nested: [String: String] = [:]
    for (name, other) in others { nested[PathText.absolute(name)] = other }
    let host = others[Self.hostFile].map { HostDefinition.load(text: $0, path: Self.hostFile) }
    var result = PipelineLoader.load(
      text: text + "\n", path: "example.yaml", nested: nested, plugins: .catalog(NoPlugins()),
      host: host?.hostSource ?? .none)
    if let host { result.sources.append(host.source) }
    return result
  }
}

/// A host without plugins except those that are part of Penstock.
private struct NoPlugins: PluginCatalog {
  var knownIDs: [String] { [] }

  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin {
    throw PluginError(.notFound, "there is no plugin '\(id)'")
  }

  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String) {}
}
