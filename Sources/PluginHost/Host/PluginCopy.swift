import Glibc

/// A copy of a plugin's file as it was when it was verified; later writes to the file do not affect it.
final class PluginCopy: ChildLaunch.File {
  let descriptor: Int32

  /// - Throws: `plugin-unreadable`.
  init(of plugin: VerifiedPlugin) throws(PluginError) { descriptor = try plugin.copy() }

  deinit { close(descriptor) }
}
