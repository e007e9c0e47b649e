/// What a pipeline file says of a plugin under `plugins:`, or a command line about one.
public struct PluginReference: Sendable, Hashable {
  /// Where a plugin's code runs.
  public enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// In this process.
    case host
    /// In a child process of its own.
    case process
  }

  /// What a child process may use.
  public struct Limits: Sendable, Hashable {
    /// Bytes of memory beyond what the child needs itself; nil is 512 MiB. What it can write and shares with nobody counts, each thread with a
    /// stack of 1 MiB unless the plugin asks for another, and so do shared memory and files in memory; code and mapped files do not.
    public var memory: Int64?
    /// Open descriptors; nil is 256.
    public var descriptors: Int?

    /// The limits given, and the usual ones for the rest.
    public init(memory: Int64? = nil, descriptors: Int? = nil) {
      self.memory = memory
      self.descriptors = descriptors
    }
  }

  /// The shared object; nil is to be found by the plugin's id.
  public var path: String?
  /// The hash that it must have, 64 hexadecimal digits in lower case.
  public var sha256: String?
  /// What else it is pinned to: `PluginLock.pin(_:)` of the `plugins.lock` beside the pipeline file.
  public var pin: PluginPin?
  /// Nil is `host` for the plugins that come with Penstock, `process` for all others.
  public var isolation: Isolation?
  /// What a child process may use.
  public var limits: Limits
  /// Names of the environment variables that a child process gets, beside `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR`.
  public var environment: [String]
  /// Names of the pipeline's secrets that the plugin may ask for.
  public var secrets: [String]

  /// What is given; the rest is found or decided by the host.
  public init(
    path: String? = nil, sha256: String? = nil, pin: PluginPin? = nil, isolation: Isolation? = nil,
    limits: Limits = Limits(),
    environment: [String] = [], secrets: [String] = []
  ) {
    self.path = path
    self.sha256 = sha256
    self.pin = pin
    self.isolation = isolation
    self.limits = limits
    self.environment = environment
    self.secrets = secrets
  }

  /// Everything that it is pinned to, for ``PluginVerifier/verify(_:pins:)``.
  public var pins: [PluginPin] { [PluginPin(self), pin].compactMap(\.self) }
}
