import Glibc
import OperatingSystem

/// The result of looking for the file of a site.
public struct SiteLoadResult: Sendable {
  /// The site; nil if there is no file, or if it has errors.
  public var site: SiteDefinition?
  /// All findings, from top to bottom.
  public var diagnostics: [Diagnostic] = []
  /// The text to which they refer; nil if there is no file.
  public var source: SourceText?
}

extension SiteDefinition {
  /// The name of the file.
  static let fileName = "executors.yaml"

  /// The places of the file for a workspace, in the order in which they are looked at; the first file found wins as a whole.
  package static func places(workspace: String) -> [String] {
    let home = getenv("HOME").map { String(cString: $0) }
    let given = getenv("XDG_CONFIG_HOME").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    let configuration = given ?? home.map { "\($0)/.config" }
    return [workspace, configuration.map { "\($0)/penstock" }, "/etc/penstock"].compactMap { $0 }
      .map { "\($0)/\(fileName)" }
  }

  /// Loads the file of the site for a workspace.
  public static func find(workspace: String) -> SiteLoadResult {
    // A link to nowhere is found, and reported: it must not let another file win.
    var status = stat()
    guard let path = places(workspace: workspace).first(where: { lstat($0, &status) == 0 }) else {
      return SiteLoadResult()
    }
    switch PipelineFile.read(path, isArgument: true) {
    case .success(let content): return load(SourceText(path: path, bytes: content.bytes))
    case .failure(let failure):
      let diagnostic = Diagnostic(code: failure.code, failure.message, file: path, range: .beginning, fix: failure.fix)
      return SiteLoadResult(diagnostics: [diagnostic], source: SourceText(path: path, text: ""))
    }
  }

  /// Loads a text as the contents of the file at `path`, which need not exist.
  public static func load(text: String, path: String) -> SiteLoadResult { load(SourceText(path: path, text: text)) }

  private static func load(_ source: SourceText) -> SiteLoadResult {
    let yaml = YAMLReader.read(source)
    let reader = DocumentReader(source: source)
    for finding in yaml.diagnostics { reader.report(finding) }
    let site = yaml.root.map { reader.site($0, path: source.path) }
    return SiteLoadResult(
      site: reader.hasErrors ? nil : site, diagnostics: DiagnosticRenderer.sorted(reader.diagnostics), source: source)
  }
}
