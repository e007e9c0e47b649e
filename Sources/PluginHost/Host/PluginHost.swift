import Operations
import Values

/// Finds, verifies, loads and runs plugins, and lets go of them.
///
/// What belongs in this module: everything between the contract of `plugin.h` and the protocols of `Operations`. It knows nothing of
/// pipelines or their files.
public final class PluginHost: Sendable {
  /// What the host is given.
  public struct Configuration: Sendable {
    /// Directories in which plugins are looked for by id, in order.
    public var directories: [PluginDirectory]
    /// Files that were named on a command line.
    public var files: [String]
    /// The program and arguments that start a child host; a descriptor of its end of the connection is 3.
    public var childHost: [String]
    /// Told of the lines that plugins log and of what the host notices about them.
    public var log: @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void

    /// A configuration of what is given; there are no plugins and no log without any.
    public init(
      directories: [PluginDirectory] = [], files: [String] = [], childHost: [String] = [],
      log: @escaping @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void = { _, _, _ in }
    ) {
      self.directories = directories
      self.files = files
      self.childHost = childHost
      self.log = log
    }
  }

  /// What the host was given.
  public let configuration: Configuration

  /// A host that has loaded nothing yet.
  public init(_ configuration: Configuration) { self.configuration = configuration }
}
