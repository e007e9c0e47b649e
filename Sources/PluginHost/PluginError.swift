import Values

/// The reason why a plugin, or one of its offers, cannot be used.
///
/// Codes are stable; messages name the file or the plugin, the problem and its remedy.
public struct PluginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of refusal.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// No plugin of that name exists in the places that are searched.
    case notFound = "plugin-not-found"
    /// The plugin has no offer with that id and kind.
    case noSuchOffer = "no-such-offer"
    /// Two files offer the same id.
    case ambiguous = "plugin-ambiguous"
    /// The file cannot be read.
    case unreadable = "plugin-unreadable"
    /// The file is not a shared object, or is damaged.
    case notASharedObject = "not-a-shared-object"
    /// The file is for another processor architecture or operating system.
    case wrongArchitecture = "wrong-architecture"
    /// The file does not export `penstock_plugin`.
    case noEntry = "no-plugin-entry"
    /// The file needs a library that is missing, or the dynamic linker rejected it for another reason.
    case notLoadable = "not-loadable"
    /// The plugin uses another version of the contract.
    case versionMismatch = "abi-mismatch"
    /// The plugin's description of itself does not conform to the contract.
    case malformed = "malformed-plugin"
    /// The file, or a directory above it, can be written by others.
    case writableByOthers = "writable-by-others"
    /// The file's hash differs from the pinned one.
    case hashMismatch = "hash-mismatch"
    /// The file with the pins, `plugins.lock`, cannot be read or written, or is invalid.
    case lock = "plugin-lock"
    /// The plugin's `open` failed.
    case openFailed = "open-failed"
    /// The plugin ended its process, or was killed, while it was loaded.
    case crashed = "plugin-crashed"
    /// The process that the plugin is to run in could not be started.
    case childHost = "child-host-failed"
    /// The plugin did not answer in time.
    case unresponsive = "plugin-unresponsive"
    /// The settings do not match the offer's description, or the plugin rejected them.
    case settings = "plugin-settings"
    /// The host is shutting down.
    case closed = "plugin-closed"
  }

  /// The kind of refusal.
  public let code: Code
  /// What happened, where, and what to do, in one line.
  public let message: String
  /// Whether the only problem was that this process lacked descriptors or memory: the plugin may be fine, and usable later.
  public let isShortage: Bool

  /// Creates a refusal with a code and a message.
  public init(_ code: Code, _ message: String, isShortage: Bool = false) {
    self.code = code
    self.message = message
    self.isShortage = isShortage
  }

  /// The message.
  public var description: String { message }
}

/// The failure of a plugin's instance: an error that the plugin reported, or one that happened to it.
public struct PluginFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plugin's own code, or a ``PluginError/Code`` for what happened to the plugin, such as `plugin-crashed` or `plugin-unresponsive`.
  public let code: String
  /// What happened, for people to read; in the plugin's own words if it reported the failure.
  public let message: String
  /// How long to wait before the next attempt, if the plugin knows.
  public let retryAfter: Duration?
  /// Further details from the plugin.
  public let detail: JSONValue?

  /// Creates a failure with a code and a message.
  public init(code: String, message: String, retryAfter: Duration? = nil, detail: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.detail = detail
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension PluginFailure {
  init(code: PluginError.Code, message: String) { self.init(code: code.rawValue, message: message) }

  /// Returns the message for something that keeps running and is restarted after `pause`.
  package func message(startingAgainIn pause: Duration) -> String { "\(message); restarting in \(pause.brief)" }
}
