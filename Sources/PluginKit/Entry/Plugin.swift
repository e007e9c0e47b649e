import CPluginKit

/// A plugin: its identity and its offers.
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
/// The type marked `@main` is the plugin that the shared object exports. If the plugin is to be tested too, put it into a library without `@main`,
/// and export it from a target of one line, since a test has its own `main`:
///
/// ```swift
/// @main struct Export: PluginExport { typealias Exported = Words }
/// ```
public protocol Plugin: Sendable {
  /// The plugin's id, which begins the ids of all its offers: `[a-z][a-z0-9-]*`, at most 64 characters.
  static var id: String { get }
  /// The plugin's own version, such as `1.2.0`.
  static var version: String { get }
  /// A one-line summary of the plugin's purpose.
  static var summary: String { get }
  /// The author; nil by default.
  static var author: String? { get }
  /// The license, such as `MIT`; nil by default.
  static var license: String? { get }
  /// The address of a page about it; nil by default.
  static var homepage: String? { get }
  /// The offers, at least one. Read once.
  static var offers: [Offer] { get }
}

extension Plugin {
  /// Nil.
  public static var author: String? { nil }
  /// Nil.
  public static var license: String? { nil }
  /// Nil.
  public static var homepage: String? { nil }

  /// The entry point for `@main`: registers this type as the plugin of the shared object, and returns.
  public static func main() { register() }

  /// Registers this type as the plugin of the process.
  package static func register() { PluginEntry.register(PluginRuntime(Self.self)) }
}

/// Exports a plugin declared in another module. See ``Plugin``.
public protocol PluginExport {
  /// The plugin.
  associatedtype Exported: Plugin
}

extension PluginExport {
  /// The entry point for `@main`: registers ``Exported`` as the plugin of the shared object, and returns.
  public static func main() { Exported.main() }
}
