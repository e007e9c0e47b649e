/// The steps by which a host gets from files to connections; they are closures so that tests of the host need no child processes.
struct PluginConnector: Sendable {
  /// Checks who can write the file, its content, and the pins.
  var verify: @Sendable (PluginFile, [PluginPin]) throws(PluginError) -> VerifiedPlugin
  /// Loads the file in a child host, where it can do no harm, to find out whether it can be loaded.
  var probe: @Sendable (VerifiedPlugin) throws(PluginError) -> Void
  /// Loads the file into this process; as a copy in memory if the file may be written while it is in use.
  var inProcess: @Sendable (VerifiedPlugin, _ isCopy: Bool) throws(PluginError) -> any PluginConnection
  /// Loads the file into its own process. If the plugin already runs in one, that connection takes over the file and is returned.
  var isolated:
    @Sendable (VerifiedPlugin, PluginReference, _ former: Plugin?) throws(PluginError) -> any PluginConnection
}

extension PluginConnector {
  /// Creates the connector that hosts use outside tests.
  init(_ configuration: PluginLoader.Configuration, limits: CallWatchdog.Limits = CallWatchdog.Limits()) {
    let verifier = PluginVerifier()
    verify = { file, pins throws(PluginError) in try verifier.verify(file, pins: pins) }
    let command = configuration.childHost
    probe = { verified throws(PluginError) in
      guard !command.isEmpty else {
        configuration.log(
          .warning, verified.file.id,
          "loading \(verified.path.quotedForMessage) into this process untested: a damaged file can crash it. To test plugins in a "
            + "child host first, set PluginLoader.Configuration.childHost")
        return
      }
      configuration.willStartChildHost()
      let launch = ChildLaunch(verified, PluginReference(), command: command)
      let options = IsolatedConnection.Options { configuration.log($0, launch.name, $1) }
      _ = try PluginProbe.describe(launch, options: options)
    }
    inProcess = { verified, isCopy throws(PluginError) in
      configuration.willLoadIntoProcess()
      let image = try PluginImage.open(
        verified.path, descriptor: verified.descriptor, isCopy: isCopy, log: configuration.log)
      let options = InProcessConnection.Options(
        clock: configuration.clock, limits: limits, log: configuration.log)
      return try InProcessConnection(image, options: options)
    }
    isolated = { verified, reference, former throws(PluginError) in
      guard !command.isEmpty else {
        throw PluginError(
          .childHost,
          "cannot load \(verified.path.quotedForMessage) in a separate process: "
            + "PluginLoader.Configuration.childHost is not set")
      }
      configuration.willStartChildHost()
      // Writing to the file while it is in use would crash children, and bring unverified code into new ones.
      let launch = ChildLaunch(verified, reference, command: command, file: try PluginCopy(of: verified))
      if let connection = former?.connection as? IsolatedConnection {
        try connection.replace(with: launch)
        return connection
      }
      let name = former?.id ?? launch.name
      let options = IsolatedConnection.Options(clock: configuration.clock) { configuration.log($0, name, $1) }
      return try IsolatedConnection.open(launch, options: options)
    }
  }
}

extension VerifiedPlugin: ChildLaunch.File {}

extension ChildLaunch {
  init(_ plugin: VerifiedPlugin, _ reference: PluginReference, command: [String], file: (any File)? = nil) {
    self.init(
      command: command, name: plugin.file.id, path: plugin.path, file: file ?? plugin, limits: reference.limits,
      environment: reference.environment)
  }
}
