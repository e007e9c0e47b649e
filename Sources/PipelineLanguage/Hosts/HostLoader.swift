import OperatingSystem

/// What loading a host's file found out.
public struct HostLoadResult: Sendable {
  /// The host; nil when anything is wrong with its file.
  public var host: HostDefinition?
  /// Everything found, from top to bottom.
  public var diagnostics: [Diagnostic]
  /// The text that the diagnostics point into.
  public var source: SourceText

  /// Whether nothing but warnings was found.
  public var isValid: Bool { host != nil }

  /// Whether the file could not be read because the process or the system has no room for another open file. Nothing may be wrong with it then.
  public var lacksResources: Bool { diagnostics.contains { $0.code == DiagnosticCode.systemLimit.rawValue } }

  /// The host for pipelines that are loaded with it: of a file with errors, nothing is known that could be wrong with them.
  public var hostSource: HostSource { host.map(HostSource.host) ?? .unchecked }
}

extension HostDefinition {
  /// Loads the file at `path`. A file that cannot be read is a finding like any other.
  public static func load(path: String) -> HostLoadResult {
    switch PipelineFile.read(path, isArgument: true) {
    case .success(let content): return load(SourceText(path: path, bytes: content.bytes))
    case .failure(let failure):
      let diagnostic = Diagnostic(
        code: failure.code, failure.message, file: path, range: .beginning, fix: failure.fix)
      return HostLoadResult(host: nil, diagnostics: [diagnostic], source: SourceText(path: path, text: ""))
    }
  }

  /// Whether the file at `path` has the keys of a host's file and not those of a pipeline; false where it cannot be read.
  public static func isFile(at path: String) -> Bool {
    guard case .success(let content) = PipelineFile.read(path, isArgument: true),
      let root = YAMLReader.read(SourceText(path: path, bytes: content.bytes)).root
    else { return false }
    return HostKey.areAll(of: root)
  }

  /// Loads a text as if it were the contents of the file at `path`, which need not exist. Relative paths in the text start from the directory of `path`. A text
  /// without any key is a host with the defaults.
  public static func load(text: String, path: String) -> HostLoadResult { load(SourceText(path: path, text: text)) }

  private static func load(_ source: SourceText) -> HostLoadResult {
    let yaml = YAMLReader.read(source)
    let reader = DocumentReader(source: source)
    let folder = PathText.directory(of: source.path)
    let current = PathText.absolute(".")
    reader.directory = folder == "." ? current : PathText.join(current, folder)
    // A file in which all is commented out leaves everything to the defaults.
    let isEmpty = yaml.root == nil && yaml.diagnostics.map(\.code) == [DiagnosticCode.emptyFile.rawValue]
    if !isEmpty { for finding in yaml.diagnostics { reader.report(finding) } }
    var host = yaml.root.map(reader.host) ?? HostDefinition()
    host.path = source.path
    return HostLoadResult(
      host: reader.hasErrors ? nil : host, diagnostics: DiagnosticRenderer.sorted(reader.diagnostics), source: source)
  }
}
