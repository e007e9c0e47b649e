import Glibc
import PipelineLanguage
import PipelineService
import PluginHost
import RunHistory
import ServeArguments
import Server

/// The settings of a host, from its arguments and the file that they name.
struct HostSettings {
  private let arguments: HostArguments
  /// The result of loading the file; nil without one.
  private let file: HostLoadResult?
  private let paths: [String]
  private let location: WorkspaceLocation

  /// - Throws: ``HostFailure`` if there is nothing to serve, or the file has errors. With `--check`, ``check()`` reports errors of the file instead.
  init(_ arguments: HostArguments) throws {
    self.arguments = arguments
    file = arguments.config.map(HostDefinition.load(path:))
    if let file, !file.isValid, !arguments.check {
      throw HostFailure(
        message: DiagnosticRenderer().render(file.diagnostics, in: [file.source]), status: file.lacksResources ? 3 : 2,
        isFindings: true)
    }
    var definition = file?.host ?? HostDefinition()
    // The errors may be elsewhere in the file, and all problems are to be found at once.
    if let file { definition.pipelines = file.pipelines }
    // The error may be that of the paths.
    let isUnknown = file?.isValid == false && arguments.paths.isEmpty && definition.pipelines.isEmpty
    paths = isUnknown ? [] : try Self.paths(arguments, definition)
    guard let location = WorkspaceLocation.find(option: arguments.workspace ?? definition.workspace) else {
      throw HostFailure(message: "cannot tell where the workspace is; name one with --workspace")
    }
    self.location = location
  }

  /// Returns the warnings for a file without errors, including paths that do not exist yet.
  private static func warnings(of file: HostLoadResult) -> String? {
    let missing = (file.host?.missingPaths() ?? []).map { finding in
      var finding = finding
      finding.severity = .warning
      return finding
    }
    let findings = file.diagnostics + missing
    return findings.isEmpty ? nil : DiagnosticRenderer().render(findings, in: [file.source])
  }

  /// Returns the absolute paths to serve: those of the arguments, else those of the file, else the folder `pipelines`.
  private static func paths(_ arguments: HostArguments, _ definition: HostDefinition) throws -> [String] {
    let directory = Self.currentDirectory()
    var paths = arguments.paths
    // Paths in the file may be created later.
    if paths.isEmpty, !definition.pipelines.isEmpty { return definition.pipelines }
    if paths.isEmpty {
      guard access("pipelines", F_OK) == 0 else {
        let others = arguments.config == nil ? "" : ", neither here nor by 'pipelines' of the configuration"
        throw HostFailure(
          message:
            "there are no pipelines to serve: no path was named\(others), and '\(directory)' has no folder 'pipelines'")
      }
      paths = ["pipelines"]
    }
    for path in paths where access(path, F_OK) != 0 {
      throw HostFailure(message: "there is neither a file nor a folder '\(path)'")
    }
    for path in paths where HostDefinition.isFile(at: path) {
      throw HostFailure(
        message:
          "'\(path)' is the configuration of a host, not a pipeline; use `penstock serve --config \(ShellText.quoted(path))`"
      )
    }
    return paths.map(absolute)
  }

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    let directory = currentDirectory()
    let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
    return relative == "." || relative.isEmpty ? directory : "\(directory)/\(relative)"
  }

  /// Returns the server's configuration, with plugins that write to the log.
  func configuration(_ log: HostLog) throws -> ServerConfiguration {
    let service = RunService.Configuration(
      plugins: .host(
        plugins { level, plugin, pipeline, message in
          let name = pipeline.map { "\(plugin) of '\($0)'" } ?? plugin
          log.tell(level, "plugin", "\(name): \(message)", pipeline: pipeline)
        }),
      durability: .powerLoss, testing: TestingConditions())
    var configuration = ServerConfiguration(
      paths: paths, location: location, service: service, version: Version.current)
    configuration.isStandby = arguments.standby
    configuration.program.command = command
    configuration.variables = HostProcess.variables
    configuration.use(file?.host ?? HostDefinition())
    if let file, let warnings = Self.warnings(of: file) { log.tell(.warning, "configuration", warnings) }
    if let path = arguments.config {
      configuration.read = { [arguments] in
        let result = HostDefinition.load(path: path)
        let findings = DiagnosticRenderer().render(result.diagnostics, in: [result.source])
        guard let host = result.host else { return .invalid(findings) }
        do {
          return .valid(
            host, paths: try Self.paths(arguments, host), warnings: Self.warnings(of: result))
        } catch {
          return .invalid((error as? HostFailure)?.message ?? "\(error)")
        }
      }
    }
    return configuration
  }

  /// The command that starts this host again from any directory.
  private var command: String {
    var words = ["penstock", "serve"]
    if let config = arguments.config { words += ["--config", Self.absolute(config)] }
    if arguments.workspace != nil || file?.host?.workspace == nil { words += ["--workspace", location.path] }
    for plugin in arguments.plugins { words += ["--plugin", Self.absolute(plugin)] }
    if !arguments.paths.isEmpty || file?.host?.pipelines.isEmpty ?? true { words += paths }
    return words.map(ShellText.quoted).joined(separator: " ")
  }

  /// Loads everything, and prints the findings. Returns the exit code.
  func check() throws -> Int32 {
    let plugins = PluginSource.host(
      plugins { level, plugin, _, message in
        let word = level == .info ? "" : "\(level.rawValue): "
        HostOutput.writeLine("penstock: \(plugin): \(word)\(TerminalText.visible(message))")
      }
    )
    let check = HostCheck(paths, location: location, file: file, plugins: plugins)
    if arguments.json {
      for line in check.lines { print(line) }
    } else {
      if !check.findings.isEmpty { HostOutput.writeLine(String(check.text.dropLast())) }
      let count = check.pipelines
      print("\(count) \(count == 1 ? "pipeline" : "pipelines") checked" + (check.hasErrors ? ", with errors" : ""))
      if count == 0, !check.hasErrors {
        HostOutput.writeLine(
          "penstock: found no pipeline in \(paths.map { "'\($0)'" }.joined(separator: ", ")); create one with `penstock init FILE`, or name the folder of your *.yaml files"
        )
      }
    }
    if check.lacksResources || check.isRefused { return 3 }
    return check.hasErrors ? 2 : 0
  }

  private func plugins(
    _ tell: @escaping @Sendable (HostLog.Level, _ plugin: String, _ pipeline: String?, _ message: String) -> Void
  ) -> PluginLoader {
    let tell = { @Sendable (level: PluginLogLevel, plugin: String, pipeline: String?, message: String) in
      guard level != .debug else { return }
      tell(level == .error ? .error : level == .warning ? .warning : .info, plugin, pipeline, message)
    }
    var configuration = PluginLoader.Configuration(
      directories: PluginDirectory.standard(), files: arguments.plugins,
      childHost: [OwnExecutable.path, ChildHost.argument],
      log: { tell($0, $1, nil, $2) }, willLoadIntoProcess: { HostProcess.prepareForPlugins() },
      willStartChildHost: { HostProcess.hide() })
    configuration.pipelineLog = { tell($0, $1, $2, $3) }
    return PluginLoader(configuration)
  }

  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
