import Glibc

/// The content of a plugin's file as it was when it was verified: what is written to the file later does not reach it.
final class PluginCopy: ChildLaunch.File {
  let descriptor: Int32

  /// - Throws: `plugin-unreadable`.
  init(of plugin: VerifiedPlugin) throws(PluginError) { descriptor = try plugin.copy() }

  deinit { close(descriptor) }
}
