import Foundation
import Subprocess

/// The plugin that the cases in `plugins` use, compiled when the first of them begins.
actor SamplePlugin {
  static let shared = SamplePlugin()

  private var compilation: Task<String, any Error>?

  /// Returns the plugin's directory, for `PENSTOCK_PLUGIN_PATH`. Only the owner can access it, as plugins require.
  func directory() async throws -> String {
    if let compilation { return try await compilation.value }
    let compilation = Task { try await Self.compile() }
    self.compilation = compilation
    return try await compilation.value
  }

  private static func compile() async throws -> String {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let header = sources.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/PluginABI/include")
    let directory = URL(fileURLWithPath: BuiltPenstock.directory).appendingPathComponent("conformance-plugins")
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let temporary = directory.appendingPathComponent("sample-\(UUID().uuidString).o").path
    let result = try await Subprocess.run(
      .name("cc"),
      arguments: [
        "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", header.path, "-o", temporary,
        sources.appendingPathComponent("Plugins/sample.c").path,
      ], output: .discarded, error: .string(limit: 1 << 16))
    guard result.terminationStatus.isSuccess else { throw CompilationError(text: result.standardError) }
    // Another test process may be using the previous one.
    guard chmod(temporary, 0o755) == 0, rename(temporary, directory.appendingPathComponent("sample.so").path) == 0
    else {
      throw CompilationError(text: String(cString: strerror(errno)))
    }
    return directory.path
  }

  struct CompilationError: Error { let text: String }
}
