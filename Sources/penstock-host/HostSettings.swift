import Glibc
import PipelineLanguage
import PipelineService
import PluginHost
import RunHistory
import ServeArguments
import Server

/// What a host is begun with, of its arguments and the file that they name.
struct HostSettings {
  private let arguments: HostArguments
  private let paths: [String]
  private let location: WorkspaceLocation

  /// - Throws: ``HostFailure`` where there is nothing to serve.
  init(_ arguments: HostArguments) throws {
    self.arguments = arguments
    let directory = Self.currentDirectory()
    var paths = arguments.paths
    if paths.isEmpty {
      guard access("pipelines", F_OK) == 0 else {
        throw HostFailure(
          message: "there are no pipelines to serve: no path was named, and '\(directory)' has no folder 'pipelines'")
      }
      paths = ["pipelines"]
    }
    for path in paths where access(path, F_OK) != 0 {
      throw HostFailure(message: "there is neither a file nor a folder '\(path)'")
    }
    self.paths = paths.map { path in
      if path.hasPrefix("/") { return path }
      let relative = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
      return relative == "." || relative.isEmpty ? directory : "\(directory)/\(relative)"
    }
    guard let location = WorkspaceLocation.find(option: arguments.workspace) else {
      throw HostFailure(message: "cannot tell where the workspace is; name one with --workspace")
    }
    self.location = location
  }

  /// What the server needs, with plugins that tell the log what they have to say.
  func configuration(_ log: HostLog) throws -> ServerConfiguration {
    let service = RunService.Configuration(
      plugins: .host(plugins { level, plugin, message in log.tell(level, "plugin", "\(plugin): \(message)") }),
      durability: .powerLoss, testing: TestingConditions())
    var configuration = ServerConfiguration(
      paths: paths, location: location, service: service, version: Version.current)
    configuration.isStandby = arguments.standby
    return configuration
  }

  /// Loads everything, and prints what is found. Returns the exit code.
  func check() throws -> Int32 {
    let found = PipelineFiles.find(at: paths)
    var hasErrors = !found.problems.isEmpty
    for problem in found.problems { HostOutput.writeLine("penstock: \(TerminalText.visible(problem))") }
    let plugins = PluginSource.host(
      plugins { _, plugin, message in HostOutput.writeLine("penstock: \(plugin): \(TerminalText.visible(message))") })
    var names: [String: String] = [:]
    var count = 0
    for path in found.files {
      let result = PipelineLoader.load(path: path, plugins: plugins)
      guard result.templateCount == nil || result.pipeline != nil else { continue }
      count += 1
      if !result.diagnostics.isEmpty {
        HostOutput.writeLine(DiagnosticRenderer().render(result.diagnostics, in: result.sources))
      }
      guard let pipeline = result.pipeline else {
        hasErrors = true
        continue
      }
      if let other = names.updateValue(path, forKey: pipeline.name) {
        hasErrors = true
        HostOutput.writeLine(
          TerminalText.visible(
            "penstock: '\(other)' and '\(path)' have the same pipeline name '\(pipeline.name)'; rename one of them"))
      }
    }
    print("\(count) \(count == 1 ? "pipeline" : "pipelines") checked" + (hasErrors ? ", with errors" : ""))
    return hasErrors ? 2 : 0
  }

  private func plugins(_ tell: @escaping @Sendable (HostLog.Level, String, String) -> Void) -> PluginLoader {
    PluginLoader(
      PluginLoader.Configuration(
        directories: PluginDirectory.standard(), files: arguments.plugins,
        childHost: [OwnExecutable.path, ChildHost.argument],
        log: { level, plugin, message in
          guard level != .debug else { return }
          tell(level == .error ? .error : level == .warning ? .warning : .info, plugin, message)
        }, willLoadIntoProcess: { HostProcess.prepareForPlugins() }, willStartChildHost: { HostProcess.hide() }))
  }

  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
