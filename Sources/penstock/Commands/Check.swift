import ArgumentParser
import PipelineLanguage
import Values

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "check",
    abstract: "Check pipeline files without running anything.",
    discussion: """
      Finds every mistake that can be known before a run: misspelt keys, references to operations that are not there, types that \
      do not fit, cycles, durations and sizes. All of them at once, each with its place and, where there is one, the fix. \
      Nothing is executed but what plugins that a file uses say of themselves and of their settings, and no workspace is opened. Exits with 2 when a file has errors.

        penstock check nightly.yaml
        penstock check --json *.yaml      one finding a line, for editors

      With --config, the file of a host is checked as well, and each pipeline for whether that host has the queue and the resources \
      that it names. Without pipeline files, --config checks that file alone.

        penstock check --config host.yaml pipelines/*.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "The pipeline files; - is standard input. Without one: pipeline.yaml, or .penstock/pipeline.yaml.",
      valueName: "files"), completion: .file(extensions: ["yaml", "yml"]))
  var givenFiles: [String] = []

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let plugins = plugins.source()
    let (status, latest) = try report { try PipelineFileLoading.read($0, plugins: plugins, host: $1) }
    // Keeps the pipeline of a long file alive until the process ends: deallocating it takes a thirtieth of the time that reading it took.
    withExtendedLifetime(latest) { status.finish() }
  }

  /// Prints the findings in the files. Tests with many files redirect the output.
  ///
  /// - Parameters:
  ///   - output: Receives data and successful results.
  ///   - errors: Receives findings as text.
  ///   - readHost: Reads and checks a host's file.
  ///   - read: Reads and checks a file, for a host.
  /// - Returns: The exit code, and the result for the last file.
  /// - Throws: The errors of `read`, or ``CommandFailure`` if no file was named and none of the default ones exists.
  func report(
    on output: TextOutput = .standard, errors: TextOutput = .error,
    readingHost readHost: (String) -> HostLoadResult = HostDefinition.load(path:),
    reading read: (String, HostSource) throws -> LoadResult
  ) throws -> (status: ExitStatus, latest: LoadResult?) {
    var form = shared.output
    form.destination = output
    var diagnostics: [Diagnostic] = []
    var sources: [String: SourceText] = [:]
    var order: [SourceText] = []
    var status = ExitStatus.succeeded
    var latest: LoadResult?
    func add(_ found: [Diagnostic], in texts: [SourceText]) {
      diagnostics += found
      for source in texts where sources.updateValue(source, forKey: source.path) == nil { order.append(source) }
    }
    var host = HostSource.none
    if let hostFile = config.path {
      let result = readHost(hostFile)
      host = result.hostSource
      add(result.diagnostics, in: [result.source])
      if !result.isValid { status = result.lacksResources ? .engineFailed : .usage }
      if result.isValid, form.isTalkative { output.writeLine("\(TerminalText.visible(hostFile)): ok (a host)") }
    }
    // A host finds the pipelines that it runs itself, so there is no default file.
    let usual = try givenFiles.isEmpty && config.path == nil ? [PipelineFileLoading.file(nil)] : givenFiles
    for file in usual {
      let result = try read(file, host)
      latest = result
      add(result.ownDiagnostics, in: result.sources)
      if result.lacksResources { status = .engineFailed }
      var count = result.pipeline.map { Count.of($0.operations.count, "operation") }
      if let templates = result.templateCount, !result.ownDiagnostics.contains(where: { $0.severity == .error }) {
        count = "to include, \(Count.of(templates, "template"))"
      }
      if count == nil, status == .succeeded { status = .usage }
      if let count, form.isTalkative {
        output.writeLine("\(TerminalText.visible(result.source.path)): ok (\(count))")
      }
    }
    form.print {
      DiagnosticRenderer.sorted(diagnostics, files: order.map(\.path)).map { $0.jsonValue() }
    } text: {
      PipelineFileLoading.show(diagnostics, in: order, color: shared.color, on: errors, behind: output)
    }
    return (status, latest)
  }
}
