import Foundation

/// A directory for one test of installations, with a home directory of its own and a server.
final class InstallationPlace {
  let plugins: PluginCommandTests.Place
  let server: PluginServer

  init() throws {
    plugins = try PluginCommandTests.Place()
    server = try PluginServer()
  }

  var path: String { plugins.path }
  /// The folder of installed plugins.
  var folder: String { "\(path)/home/.local/lib/penstock/plugins" }

  /// Runs a command line with the home directory; nothing else in the directory is found as a plugin.
  func shell(_ command: String) async throws -> (output: String, errors: String, code: Int32?) {
    try await plugins.shell("export HOME='\(path)/home' PENSTOCK_PLUGIN_PATH=; mkdir -p home; \(command)")
  }

  /// Compiles the plugin `echo`; see ``PluginCommandTests/Place``.
  func compile(version: String = "1.0.0", describing: String = "") async throws {
    try await plugins.compile(version: version, describing: describing)
  }

  /// The bytes of the compiled plugin.
  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: plugins.plugin))) }

  /// The names in the folder, including hidden ones.
  func installed() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

  /// The directory of the contract's header.
  static let include = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/PluginABI/include").path
}
