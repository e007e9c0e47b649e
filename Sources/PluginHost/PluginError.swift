import Values

/// Why a plugin, or an offer of one, cannot be used.
///
/// Codes are stable; messages name the file or the plugin, say what is the matter and what to do about it.
public struct PluginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which kind of refusal it is.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// There is no plugin of that name where plugins are looked for.
    case notFound = "plugin-not-found"
    /// The plugin has no offer of that id and kind.
    case noSuchOffer = "no-such-offer"
    /// Two files offer the same id.
    case ambiguous = "plugin-ambiguous"
    /// The file cannot be read.
    case unreadable = "plugin-unreadable"
    /// It is no shared object, or a damaged one.
    case notASharedObject = "not-a-shared-object"
    /// It is for another kind of processor or system.
    case wrongArchitecture = "wrong-architecture"
    /// It does not export `penstock_plugin`.
    case noEntry = "no-plugin-entry"
    /// It needs a library that is not there, or the dynamic linker refused it otherwise.
    case notLoadable = "not-loadable"
    /// It speaks another version of the contract.
    case versionMismatch = "abi-mismatch"
    /// What it says about itself is not what the contract asks for.
    case malformed = "malformed-plugin"
    /// The file, or a directory above it, can be written by others.
    case writableByOthers = "writable-by-others"
    /// Its hash is not the pinned one.
    case hashMismatch = "hash-mismatch"
    /// The file with the pins, `plugins.lock`, cannot be read or written, or is not right.
    case lock = "plugin-lock"
    /// Its `open` failed.
    case openFailed = "open-failed"
    /// It ended its process, or was ended, while it was loaded.
    case crashed = "plugin-crashed"
    /// The process that it is to run in could not be started.
    case childHost = "child-host-failed"
    /// It did not answer in time.
    case unresponsive = "plugin-unresponsive"
    /// The settings are not what the offer describes, or the plugin did not take them.
    case settings = "plugin-settings"
    /// The host is shutting down.
    case closed = "plugin-closed"
  }

  /// Which kind of refusal it is.
  public let code: Code
  /// What happened, where, and what to do; one line.
  public let message: String
  /// Whether all that it lacked were descriptors or memory of this process: the plugin may be fine, and usable later.
  public let isShortage: Bool

  /// The refusal `code`, told by `message`.
  public init(_ code: Code, _ message: String, isShortage: Bool = false) {
    self.code = code
    self.message = message
    self.isShortage = isShortage
  }

  /// The message.
  public var description: String { message }
}

/// How an instance of a plugin failed: an error that the plugin told, or one that happened to it.
public struct PluginFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The plugin's own code, or one of ``PluginError/Code`` for what happened to it: `plugin-crashed`, `plugin-unresponsive`.
  public let code: String
  /// What happened, for people; the plugin's own words where it told the failure.
  public let message: String
  /// How long to wait before another attempt, where the plugin knows that.
  public let retryAfter: Duration?
  /// What else the plugin told.
  public let detail: JSONValue?

  /// The failure `code`, told by `message`.
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

  /// What is said of something that lasts, and begins anew after `pause`.
  package func message(startingAgainIn pause: Duration) -> String { "\(message); it starts again in \(pause.brief)" }
}
