/// The result of loading a pipeline file.
public struct LoadResult: Sendable {
  /// The checked pipeline; nil if it or a nested pipeline has errors.
  public var pipeline: PipelineDefinition?
  /// All findings, sorted: first those of the file itself, then those of nested files in the order they are named, each from top to bottom.
  public var diagnostics: [Diagnostic]
  /// The texts to which the diagnostics refer; the file itself first.
  public var sources: [SourceText]
  /// The files of params and variables that were read or looked up.
  package var settingFiles: [String] = []

  /// The number of templates if the file is meant to be included rather than run; otherwise nil.
  package var templateCount: Int?

  /// The findings about the file as what it is: for a file meant to be included, without the finding that it is not a pipeline.
  package var ownDiagnostics: [Diagnostic] {
    templateCount == nil ? diagnostics : diagnostics.filter { $0.code != DiagnosticCode.notPipeline.rawValue }
  }

  /// The text of the file itself.
  public var source: SourceText { sources.first ?? SourceText(path: "", text: "") }

  /// Whether there are no errors.
  public var isValid: Bool { pipeline != nil }

  /// Whether a file could not be read because the process or the system cannot open more files. The files themselves may be valid.
  public var lacksResources: Bool { diagnostics.contains { $0.code == DiagnosticCode.systemLimit.rawValue } }
}

/// Reads pipeline files and checks everything that can be known before they run.
///
/// Loading only reads files: it executes nothing and does not use the network. It handles any input safely. The exception are the plugins that the
/// file uses, which are loaded to read their descriptions and to check settings without expressions. All functions may be called on any thread; those
/// that load plugins may block it.
public enum PipelineLoader {
  /// The maximum nesting depth of pipelines.
  public static let maximumDepth = 20

  /// Loads the file at `path` and its nested pipelines.
  ///
  /// A file that cannot be read yields a finding (`file-not-found`, `file-unreadable`) like any other. Input from a pipe or a terminal, such as
  /// `/dev/stdin`, is named ``standardInput``.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - plugins: The plugins available to `uses`.
  ///   - host: The host that will run the pipeline, which must meet the pipeline's requirements.
  /// - Returns: The pipeline if it has no errors, and all findings.
  public static func load(path: String, plugins: PluginSource = .none, host: HostSource = .none) -> LoadResult {
    let session = LoadSession(plugins: plugins, host: host)
    switch PipelineFile.read(path, isArgument: true) {
    case .success(let content):
      return session.load(SourceText(path: content.isStream ? standardInput : path, bytes: content.bytes))
    case .failure(let failure):
      let diagnostic = Diagnostic(
        code: failure.code, failure.message, file: path, range: .beginning, fix: failure.fix)
      return LoadResult(pipeline: nil, diagnostics: [diagnostic], sources: [SourceText(path: path, text: "")])
    }
  }

  /// The name of a pipeline read from standard input, in messages and records. Its relative paths start from the current directory.
  public static let standardInput = PipelineName.standardInput

  /// Loads bytes as the contents of the file at `path`, which need not exist.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - path: The path of the file, or ``standardInput``.
  ///   - plugins: The plugins available to `uses`.
  ///   - host: The host that will run the pipeline, which must meet the pipeline's requirements.
  /// - Returns: The pipeline if it has no errors, and all findings.
  public static func load(
    bytes: [UInt8], path: String, plugins: PluginSource = .none, host: HostSource = .none
  ) -> LoadResult {
    LoadSession(plugins: plugins, host: host).load(SourceText(path: path, bytes: bytes))
  }

  /// Loads a text as the contents of the file at `path`, which need not exist. Relative paths in the text start from the directory of `path`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The path of the file.
  ///   - nested: The texts of nested pipelines by absolute path, which replace their files.
  ///   - plugins: The plugins available to `uses`.
  ///   - host: The host that will run the pipeline, which must meet the pipeline's requirements.
  ///   - isRecorded: Whether the text comes from an earlier run: findings of newer checks are then warnings if the run can continue despite them.
  /// - Returns: The pipeline if it has no errors, and all findings.
  public static func load(
    text: String, path: String, nested: [String: String] = [:], plugins: PluginSource = .none,
    host: HostSource = .none, isRecorded: Bool = false
  ) -> LoadResult {
    LoadSession(plugins: plugins, host: host, texts: nested, isRecorded: isRecorded)
      .load(SourceText(path: path, text: text))
  }
}
