import Glibc
import PipelineLanguage

/// Loads the file given to a command, and prints its errors.
enum PipelineFileLoading {
  /// The default files of a command; the first one that exists is used.
  static let defaultFiles = ["pipeline.yaml", ".penstock/pipeline.yaml"]

  /// The help text for a command's file.
  static let help = "The pipeline file, or - for standard input (default: pipeline.yaml, else .penstock/pipeline.yaml)"

  /// Returns the file of a command: the given one, or the first existing one of ``defaultFiles``.
  ///
  /// - Parameters:
  ///   - given: The file of the command line, if there is one.
  ///   - folder: The folder that was looked for before these files, for the message.
  /// - Returns: The path.
  /// - Throws: `CommandFailure` if there is none.
  static func file(_ given: String?, orFolder folder: String? = nil) throws -> String {
    if let given { return given }
    if let found = defaultFiles.first(where: { access($0, F_OK) == 0 }) { return found }
    var status = stat()
    let isPiped = fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    let places = "\(folder.map { "a folder \($0), " } ?? "")pipeline.yaml nor .penstock/pipeline.yaml"
    throw CommandFailure(
      "no pipeline file was named, and this directory has neither \(places); name one, "
        + (isPiped ? "or '-' to read standard input" : "or create one with `penstock init FILE`")
    )
  }

  /// Reads and checks the file at `path`, or standard input if that is `-`.
  static func read(_ path: String, plugins: PluginSource, host: HostSource = .none) throws -> LoadResult {
    guard path == "-" else { return PipelineLoader.load(path: path, plugins: plugins, host: host) }
    do {
      let bytes = try FileReader.read(descriptor: STDIN_FILENO, name: "the pipeline from standard input")
      return PipelineLoader.load(bytes: bytes, path: PipelineLoader.standardInput, plugins: plugins, host: host)
    } catch {
      throw CommandFailure(error.message)
    }
  }

  /// Returns the checked pipeline. Warnings are printed; errors end the command.
  static func load(
    _ path: String, options: SharedOptions, plugins: PluginSource, host: HostDefinition? = nil,
    checksExecutors: Bool = true
  ) throws -> PipelineDefinition {
    var source = host.map(HostSource.host) ?? .none
    if checksExecutors { source = source.withExecutors(workspace: try options.location(for: path).path) }
    return try accept(read(path, plugins: plugins, host: source), options: options)
  }

  static func accept(_ result: LoadResult, options: SharedOptions) throws -> PipelineDefinition {
    if result.pipeline == nil {
      options.output.print {
        result.diagnostics.map { $0.jsonValue() }
      } text: {
        show(result.diagnostics, in: result.sources, color: options.color)
      }
    } else if !options.quiet {
      show(result.diagnostics, in: result.sources, color: options.color)
    }
    guard let pipeline = result.pipeline else {
      throw result.lacksResources ? ExitStatus.engineFailed : .usage
    }
    return pipeline
  }

  /// Prints findings as text, after flushing what is written to `output`.
  static func show(
    _ diagnostics: [Diagnostic], in sources: [SourceText], color: ColorChoice, on errors: TextOutput = .error,
    behind output: TextOutput = .standard
  ) {
    guard !diagnostics.isEmpty else { return }
    output.flush()
    let style = Style(color, for: errors)
    let width = errors.isTerminal ? TerminalSize.current(of: errors.descriptor).columns : 100
    errors.write(DiagnosticRenderer(color: style.isColored, width: width).render(diagnostics, in: sources))
  }
}
