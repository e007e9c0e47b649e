import ArgumentParser
import PipelineLanguage
import Values

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "check",
    abstract: "Check pipeline files without running them",
    discussion: """
      Reports every mistake that can be found before a run, all at once, each with its place and, where there is \
      one, a fix: misspelt keys, references to operations that do not exist, types that do not fit, cycles, \
      invalid durations and sizes. Executes nothing except the code of plugins that a file uses, to check their \
      settings, and opens no workspace. Exits with 2 when a file has errors.

        penstock check nightly.yaml
        penstock check --json *.yaml      one finding per line, for editors

      With --config, also checks the configuration file of a host, and whether that host has the queue and the \
      resources that each pipeline names. Without pipeline files, --config checks that file alone.

        penstock check --config host.yaml pipelines/*.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "The pipeline files, or - for standard input (default: pipeline.yaml, else .penstock/pipeline.yaml)",
      valueName: "files"), completion: .file(extensions: ["yaml", "yml"]))
  var givenFiles: [String] = []

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let plugins = plugins.source()
    let (status, latest) = try report { file, host in
      // A file that is only checked may be read without any workspace.
      let workspace = try? shared.location(for: file).path
      let source = workspace.map { host.withExecutors(workspace: $0) } ?? host
      return try PipelineFileLoading.read(file, plugins: plugins, host: source)
    }
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
