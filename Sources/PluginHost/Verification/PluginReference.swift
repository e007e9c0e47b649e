/// A reference to a plugin: an entry of a pipeline file under `plugins:`, or the equivalent on a command line.
public struct PluginReference: Sendable, Hashable {
  /// Where a plugin's code runs.
  public enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// In this process.
    case host
    /// In a child process.
    case process
  }

  /// The resources that a child process may use.
  public struct Limits: Sendable, Hashable {
    /// Bytes of memory beyond what the child itself needs; nil is 512 MiB. Private writable memory counts, including 1 MiB of stack for each thread
    /// unless the plugin requests another size, and so do shared memory and files in memory; code and mapped files do not.
    public var memory: Int64?
    /// The number of open descriptors; nil is 256.
    public var descriptors: Int?

    /// Creates limits, with the defaults for those not given.
    public init(memory: Int64? = nil, descriptors: Int? = nil) {
      self.memory = memory
      self.descriptors = descriptors
    }
  }

  /// The path of the shared object; nil to find it by the plugin's id.
  public var path: String?
  /// The hash that it must have, as 64 lower-case hexadecimal digits.
  public var sha256: String?
  /// Its other pin: `PluginLock.pin(_:)` of the `plugins.lock` beside the pipeline file.
  public var pin: PluginPin?
  /// Where the code runs; nil is `host` for the plugins that come with Penstock and `process` for all others.
  public var isolation: Isolation?
  /// The resources that a child process may use.
  public var limits: Limits
  /// Names of the environment variables that a child process gets in addition to `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR`.
  public var environment: [String]
  /// Names of the pipeline's secrets that the plugin may request.
  public var secrets: [String]

  /// Creates a reference; the host determines what is not given.
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

  /// All its pins, for ``PluginVerifier/verify(_:pins:)``.
  public var pins: [PluginPin] { [PluginPin(self), pin].compactMap(\.self) }
}
