/// What loading a pipeline file found out.
public struct LoadResult: Sendable {
  /// The checked pipeline; nil when anything is wrong with it or with a pipeline that it runs.
  public var pipeline: PipelineDefinition?
  /// Everything found, sorted: the file itself first, then nested files in the order they are named, each from top to bottom.
  public var diagnostics: [Diagnostic]
  /// The texts that the diagnostics point into; the file itself first.
  public var sources: [SourceText]
  /// The files of params and variables that were read or looked for.
  package var settingFiles: [String] = []

  /// How many templates the file has, where it is one that pipelines include rather than a pipeline; nil for all others.
  package var templateCount: Int?

  /// What is wrong with the file as what it is: without the finding that a file to include is no pipeline.
  package var ownDiagnostics: [Diagnostic] {
    templateCount == nil ? diagnostics : diagnostics.filter { $0.code != DiagnosticCode.notPipeline.rawValue }
  }

  /// The text of the file itself.
  public var source: SourceText { sources.first ?? SourceText(path: "", text: "") }

  /// Whether nothing but warnings was found.
  public var isValid: Bool { pipeline != nil }

  /// Whether a file could not be read because the process or the system has no room for another open file. Nothing may be wrong
  /// with the files then.
  public var lacksResources: Bool { diagnostics.contains { $0.code == DiagnosticCode.systemLimit.rawValue } }
}

/// Reads pipeline files and checks all that can be known before they run.
///
/// Loading reads files and nothing else: it executes nothing and uses no network. It survives any input. Plugins that the file uses are
/// the one exception: they are loaded, for what they say of themselves and of settings that hold no expression. All functions may be called from any thread, and those that
/// load plugins may wait for them.
public enum PipelineLoader {
  /// How deeply pipelines may be nested.
  public static let maximumDepth = 20

  /// Loads the file at `path`, with every pipeline that it runs.
  ///
  /// A file that cannot be read is a finding (`file-not-found`, `file-unreadable`) like any other. What comes from a pipe or a terminal, such as `/dev/stdin`, is
  /// called ``standardInput``.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - plugins: What `uses` may reach.
  ///   - host: The host that is to run it, which has to have what the pipeline wants of it.
  /// - Returns: The pipeline where it has no errors, and all findings.
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

  /// What messages and records call a pipeline that was read from standard input. Its relative paths start from the current directory.
  public static let standardInput = PipelineName.standardInput

  /// Loads bytes as if they were the contents of the file at `path`, which need not exist.
  ///
  /// - Parameters:
  ///   - bytes: What was read.
  ///   - path: The file that they stand for, or ``standardInput``.
  ///   - plugins: What `uses` may reach.
  ///   - host: The host that is to run it, which has to have what the pipeline wants of it.
  /// - Returns: The pipeline where it has no errors, and all findings.
  public static func load(
    bytes: [UInt8], path: String, plugins: PluginSource = .none, host: HostSource = .none
  ) -> LoadResult {
    LoadSession(plugins: plugins, host: host).load(SourceText(path: path, bytes: bytes))
  }

  /// Loads a text as if it were the contents of the file at `path`, which need not exist. Relative paths in the text start from
  /// the directory of `path`.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The file that it stands for.
  ///   - nested: Texts of nested pipelines by the absolute paths of their files, which are not read then.
  ///   - plugins: What `uses` may reach.
  ///   - host: The host that is to run it, which has to have what the pipeline wants of it.
  ///   - isRecorded: Whether the text is one that has been run: what checks of a later version find in it are warnings, as far as it can go on with that.
  /// - Returns: The pipeline where it has no errors, and all findings.
  public static func load(
    text: String, path: String, nested: [String: String] = [:], plugins: PluginSource = .none,
    host: HostSource = .none, isRecorded: Bool = false
  ) -> LoadResult {
    LoadSession(plugins: plugins, host: host, texts: nested, isRecorded: isRecorded)
      .load(SourceText(path: path, text: text))
  }
}
