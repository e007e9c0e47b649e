import ArgumentParser
import PipelineLanguage

/// The host that a command's files are intended for.
struct HostFileOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("The configuration file of the host that is to run the pipelines", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  /// Returns the host; nil if none was named. Warnings are printed; errors end the command.
  func host(_ shared: SharedOptions) throws -> HostDefinition? { try path.map { try HostDefinition.named($0, shared) } }
}

/// The host whose workspace a command uses.
struct HostWorkspaceOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("The configuration file of a host, to use its workspace", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  /// Returns the command's options with that workspace.
  func serving(_ shared: SharedOptions) throws -> SharedOptions {
    guard let path, shared.workspace == nil else { return shared }
    return shared.serving(try HostDefinition.named(path, shared))
  }
}

extension HostDefinition {
  /// Returns the host defined in a file. Warnings are printed; errors end the command.
  fileprivate static func named(_ path: String, _ shared: SharedOptions) throws -> HostDefinition {
    let result = HostDefinition.load(path: path)
    if !result.isValid || !shared.quiet {
      PipelineFileLoading.show(result.diagnostics, in: [result.source], color: shared.color)
    }
    guard let host = result.host else { throw result.lacksResources ? ExitStatus.engineFailed : .usage }
    return host
  }
}

extension SharedOptions {
  /// Returns these options with the host's workspace, unless one was named.
  func serving(_ host: HostDefinition?) -> SharedOptions {
    var shared = self
    shared.workspace = workspace ?? host?.workspace
    return shared
  }
}
