import PluginHost
import PluginInstallation
import Values

extension PluginInstaller {
  /// Creates the installer of the commands.
  static func forCommands() -> PluginInstaller {
    let finder = PluginFinder(directories: PluginDirectory.standard())
    return PluginInstaller(
      finder: finder, loading: .forCommands(finder),
      checkChild: [OwnExecutable.path, "plugins", PluginsCheckChild.configuration.commandName ?? ""])
  }
}

extension PluginInstaller {
  /// Deletes what an interrupted command would leave behind.
  @Sendable func cleanUp() {
    temporaries.deleteAll()
    PluginValidation.cleanUp()
  }
}

extension CommandFailure {
  /// Creates the failure of an installation.
  init(_ error: InstallationError) {
    let status: ExitStatus =
      switch error.kind {
      case .usage: .usage
      case .plugin: .failed
      case .system: .engineFailed
      }
    self.init(error.message, status: status)
  }
}

extension InstallationError {
  /// The members of the error in JSON.
  var json: JSONValue {
    var members: [(String, JSONValue)] = [("code", .string(code)), ("message", .string(message))]
    if let reason { members.append(("reason", .string(reason))) }
    return JSONValue(members: members)
  }
}

extension InstalledPlugin {
  var json: JSONValue {
    JSONValue(members: [
      ("id", .string(id)), ("outcome", .string(outcome.rawValue)), ("version", version.map { .string($0) } ?? .null),
      ("architecture", .string(ProcessorArchitecture.own)), ("sha256", .string(sha256)), ("path", .string(path)),
    ])
  }
}
