import OperatingSystem

/// The result of loading a host's file.
public struct HostLoadResult: Sendable {
  /// The host; nil if the file has errors.
  public var host: HostDefinition?
  /// The paths of `pipelines`, also if the file has errors elsewhere; empty if it does not name any that are valid.
  public var pipelines: [String] = []
  /// All findings, from top to bottom.
  public var diagnostics: [Diagnostic]
  /// The text to which the diagnostics refer.
  public var source: SourceText

  /// Whether there are no errors.
  public var isValid: Bool { host != nil }

  /// Whether the file could not be read because the process or the system cannot open more files. The file itself may be valid.
  public var lacksResources: Bool { diagnostics.contains { $0.code == DiagnosticCode.systemLimit.rawValue } }

  /// The host for loading pipelines; unchecked if the file has errors, because nothing is known about the host.
  public var hostSource: HostSource { host.map(HostSource.host) ?? .unchecked }
}

extension HostDefinition {
  /// Loads the file at `path`. A file that cannot be read yields a finding like any other.
  public static func load(path: String) -> HostLoadResult {
    switch PipelineFile.read(path, isArgument: true) {
    case .success(let content): return load(SourceText(path: path, bytes: content.bytes))
    case .failure(let failure):
      let diagnostic = Diagnostic(
        code: failure.code, failure.message, file: path, range: .beginning, fix: failure.fix)
      return HostLoadResult(host: nil, diagnostics: [diagnostic], source: SourceText(path: path, text: ""))
    }
  }

  /// Returns whether the regular file at `path` has the keys of a host's file and not those of a pipeline. Returns false if it cannot be read, or is a pipe,
  /// which could be read only once.
  public static func isFile(at path: String) -> Bool {
    guard case .success(let content) = PipelineFile.read(path, isArgument: false),
      let root = YAMLReader.read(SourceText(path: path, bytes: content.bytes)).root
    else { return false }
    return HostKey.areAll(of: root)
  }

  /// Loads a text as the contents of the file at `path`, which need not exist. Relative paths in the text start from the directory of `path`. A text
  /// without keys yields a host with the defaults.
  public static func load(text: String, path: String) -> HostLoadResult { load(SourceText(path: path, text: text)) }

  private static func load(_ source: SourceText) -> HostLoadResult {
    let yaml = YAMLReader.read(source)
    let reader = DocumentReader(source: source)
    let folder = PathText.directory(of: source.path)
    let current = PathText.absolute(".")
    reader.directory = folder == "." ? current : PathText.join(current, folder)
    // A file in which everything is commented out uses the defaults.
    let isEmpty = yaml.root == nil && yaml.diagnostics.map(\.code) == [DiagnosticCode.emptyFile.rawValue]
    if !isEmpty { for finding in yaml.diagnostics { reader.report(finding) } }
    var host = yaml.root.map(reader.host) ?? HostDefinition()
    host.path = source.path
    return HostLoadResult(
      host: reader.hasErrors ? nil : host, pipelines: host.pipelines,
      diagnostics: DiagnosticRenderer.sorted(reader.diagnostics), source: source)
  }
}
