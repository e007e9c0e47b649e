import PluginHost

/// A plugin that was fetched and checked, and is not installed yet. Its temporary file is deleted when the last reference is released.
public final class PluginCandidate: Sendable {
  /// The plugin that is installed under the same id.
  public struct Former: Sendable {
    /// Its file.
    public let file: PluginFile
    /// Its version; nil if it cannot be loaded.
    public let version: String?
    /// Its hash; nil if it cannot be read.
    public let sha256: String?
  }

  /// Where it comes from.
  public let source: InstallationSource
  /// The URL that redirects led to, for people; nil if there were none.
  public let redirected: String?
  /// Its own description.
  public let description: PluginDescription
  /// Its statement about the contract.
  public let entry: PluginEntry
  /// 64 lower-case hexadecimal digits.
  public let sha256: String
  /// The size of the file in bytes.
  public let size: Int64
  /// The plugin that is installed under the same id; nil if there is none.
  public let former: Former?
  /// The path that the file gets.
  public let path: String

  let file: TemporaryFile

  init(
    source: InstallationSource, redirected: String?, description: PluginDescription, verified: VerifiedPlugin,
    sha256: String, former: Former?, path: String, file: TemporaryFile
  ) {
    self.source = source
    self.redirected = redirected
    self.description = description
    entry = verified.entry
    self.sha256 = sha256
    size = verified.identity.size
    self.former = former
    self.path = path
    self.file = file
  }

  /// The processor architecture that it is for, which is this computer's.
  public var architecture: String { ProcessorArchitecture.own }

  /// Whether a file with the same content is installed.
  public var isInstalled: Bool { former?.sha256 == sha256 }
}

/// The outcome for one plugin.
public struct InstalledPlugin: Sendable, Hashable {
  /// What was done.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It is new.
    case added
    /// It replaced another file.
    case replaced
    /// It was installed already.
    case present
  }

  /// What was done.
  public let outcome: Outcome
  /// The plugin's id.
  public let id: String
  /// Its version; nil if unknown.
  public let version: String?
  /// Its hash.
  public let sha256: String
  /// The path of its file.
  public let path: String
}
