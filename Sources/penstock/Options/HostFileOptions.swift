import ArgumentParser
import PipelineLanguage

/// The host that the files of a command are meant for.
struct HostFileOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("config"),
    help: ArgumentHelp("The file of the host that is to run the pipelines.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  /// The host; nil where none was named. Warnings are shown; errors end the command.
  func host(_ shared: SharedOptions) throws -> HostDefinition? {
    guard let path else { return nil }
    let result = HostDefinition.load(path: path)
    if !result.isValid || !shared.quiet {
      PipelineFileLoading.show(result.diagnostics, in: [result.source], color: shared.color)
    }
    guard let host = result.host else { throw result.lacksResources ? ExitStatus.engineFailed : .usage }
    return host
  }
}

extension SharedOptions {
  /// The same, with the workspace that the host has where none was named.
  func serving(_ host: HostDefinition?) -> SharedOptions {
    var shared = self
    shared.workspace = workspace ?? host?.workspace
    return shared
  }
}
