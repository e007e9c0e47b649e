/// How a host comes from files to connections: behind closures, so that tests of the host need no child processes.
struct PluginConnector: Sendable {
  /// Checks who can write the file, what it is, and the pins.
  var verify: @Sendable (PluginFile, [PluginPin]) throws(PluginError) -> VerifiedPlugin
  /// Loads the file where it can do no harm, to see whether it can be loaded.
  var probe: @Sendable (VerifiedPlugin) throws(PluginError) -> Void
  /// Loads the file into this process, as a copy in memory where it may be written while it is in use.
  var inProcess: @Sendable (VerifiedPlugin, _ isCopy: Bool) throws(PluginError) -> any PluginConnection
  /// Loads the file into a process of its own.
  var isolated: @Sendable (VerifiedPlugin, PluginReference) throws(PluginError) -> any PluginConnection
}

extension PluginConnector {
  /// What a host does outside of tests.
  init(_ configuration: PluginHost.Configuration) {
    let verifier = PluginVerifier()
    verify = { file, pins throws(PluginError) in try verifier.verify(file, pins: pins) }
    probe = { _ in }
    inProcess = { verified, isCopy throws(PluginError) in
      let image = try PluginImage.open(verified.path, descriptor: verified.descriptor, isCopy: isCopy)
      let options = InProcessConnection.Options(clock: configuration.clock, log: configuration.log)
      return try InProcessConnection(image, options: options)
    }
    isolated = { verified, _ throws(PluginError) in
      throw PluginError(.notLoadable, "cannot load \(verified.path.quotedForMessage) in a process of its own")
    }
  }
}
