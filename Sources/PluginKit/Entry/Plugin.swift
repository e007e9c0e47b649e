import CPluginKit

/// A plugin: who it is and what it offers.
///
/// ```swift
/// import PluginKit
///
/// @main struct Words: Plugin {
///   static let id = "words"
///   static let version = "1.0.0"
///   static let summary = "Counts words"
///   static let offers: [Offer] = [
///     .operation("words.count", "How many words its requirement has", CountWords.init)
///   ]
/// }
/// ```
///
/// The type that carries `@main` is the plugin that the shared object exports. Where the plugin is tested too, put it
/// into a library without `@main`, and export it from a target of one line, since a test has a `main` of its own:
///
/// ```swift
/// @main struct Export: PluginExport { typealias Exported = Words }
/// ```
public protocol Plugin: Sendable {
  /// The first part of the ids of everything that it offers: `[a-z][a-z0-9-]*`, at most 64 characters.
  static var id: String { get }
  /// The plugin's own version, such as `1.2.0`.
  static var version: String { get }
  /// What the plugin is for, in one line.
  static var summary: String { get }
  /// Who wrote it; nil by default.
  static var author: String? { get }
  /// Under which terms it may be used, such as `MIT`; nil by default.
  static var license: String? { get }
  /// Where to read about it; nil by default.
  static var homepage: String? { get }
  /// What it offers: at least one thing. Asked for once.
  static var offers: [Offer] { get }
}

extension Plugin {
  /// Nil.
  public static var author: String? { nil }
  /// Nil.
  public static var license: String? { nil }
  /// Nil.
  public static var homepage: String? { nil }

  /// What `@main` needs: makes this the plugin of the shared object, and returns.
  public static func main() { register() }

  /// Makes this the plugin of the process.
  package static func register() { PluginEntry.register(PluginRuntime(Self.self)) }
}

/// Exports a plugin that another module declares. See ``Plugin``.
public protocol PluginExport {
  /// The plugin.
  associatedtype Exported: Plugin
}

extension PluginExport {
  /// What `@main` needs: makes ``Exported`` the plugin of the shared object, and returns.
  public static func main() { Exported.main() }
}
