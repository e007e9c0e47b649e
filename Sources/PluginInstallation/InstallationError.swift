import Glibc
import OperatingSystem
import PluginHost

/// The reason why a plugin was not added, installed or removed. Codes are stable; messages state what happened, where, and what to do.
public struct InstallationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure, besides those of ``PluginError/Code``.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The argument is neither a regular file that can be read nor a URL that can be fetched.
    case source = "plugin-source"
    /// The file could not be downloaded.
    case notFetched = "plugin-not-fetched"
    /// The file is larger than a plugin may be.
    case tooLarge = "plugin-too-large"
    /// The folder of plugins, or a file in it, cannot be written.
    case folder = "plugin-folder"
    /// The plugin failed a check.
    case checkFailed = "plugin-check-failed"
    /// The plugin is installed in another version.
    case installed = "plugin-installed"
    /// `plugins.lock` has no line for this computer's architecture, or no URL or path for the plugin.
    case notLocked = "plugin-not-locked"
    /// A signal ended the installation.
    case cancelled = "plugin-cancelled"
  }

  /// The cause, which determines the exit code of commands.
  public enum Kind: Sendable, Hashable {
    /// The arguments, or the lock.
    case usage
    /// The plugin, or the server.
    case plugin
    /// This computer: no space, no permission.
    case system
  }

  /// The code: that of ``Code`` or of ``PluginError/Code``.
  public let code: String
  /// The cause.
  public let kind: Kind
  /// What happened, where, and what to do, in one line.
  public let message: String
  /// The code of the failed request, such as `http-status`, if the file could not be downloaded.
  public let reason: String?

  /// Creates an error with a code and a message.
  public init(_ code: Code, _ message: String, reason: String? = nil) {
    self.code = code.rawValue
    self.message = message
    self.reason = reason
    kind =
      switch code {
      case .source, .installed, .notLocked: .usage
      case .notFetched, .tooLarge, .checkFailed, .cancelled: .plugin
      case .folder: .system
      }
  }

  /// Creates the error of a plugin that cannot be used.
  public init(_ error: PluginError) {
    code = error.code.rawValue
    message = error.message
    reason = nil
    kind =
      switch error.code {
      case .notFound, .ambiguous, .lock: .usage
      case .childHost: .system
      default: error.isShortage ? .system : .plugin
      }
  }

  private init(_ error: InstallationError, message: String) {
    (code, kind, reason) = (error.code, error.kind, error.reason)
    self.message = message
  }

  /// Whether a signal ended the installation.
  var isCancellation: Bool { code == Code.cancelled.rawValue }

  /// Returns the same error with the messages of what was tried next.
  func followed(by others: some Sequence<InstallationError>) -> InstallationError {
    InstallationError(self, message: ([message] + others.map(\.message)).joined(separator: "; then "))
  }

  /// Returns the error of a system call on a path of the folder.
  static func folder(_ verb: String, _ path: String, _ number: Int32 = errno) -> InstallationError {
    let fix =
      switch number {
      case ENOSPC, EDQUOT: "free some space"
      case EROFS: "make its file system writable"
      default: "check the permissions of the folder and of those above it"
      }
    return InstallationError(.folder, "cannot \(verb) '\(path)': \(SystemError.textWithAdvice(of: number)); \(fix)")
  }

  /// The message.
  public var description: String { message }
}
