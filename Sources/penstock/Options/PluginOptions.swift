import ArgumentParser
import PipelineLanguage
import PluginHost

/// The sources of plugins.
struct PluginOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp(
      "Also use this plugin's shared object (may be repeated)",
      discussion:
        "Plugins are found beside penstock, in ../lib/penstock/plugins from there, in $PENSTOCK_PLUGIN_PATH, and in ~/.local/lib/penstock/plugins.",
      valueName: "file"))
  var files: [String] = []

  /// Searches the standard directories and the given files.
  var finder: PluginFinder { PluginFinder(directories: PluginDirectory.standard(), files: files) }

  /// Creates a host of these plugins, whose log goes to standard error.
  func host() -> PluginLoader {
    PluginLoader(
      PluginLoader.Configuration(
        directories: PluginDirectory.standard(), files: files, childHost: [OwnExecutable.path, "plugin-host"],
        log: { level, plugin, message in
          // Debug messages are only for the plugin's author.
          guard level != .debug else { return }
          let word = level == .warning ? "warning: " : level == .error ? "error: " : ""
          TextOutput.error.writeMessage("penstock: \(plugin): \(word)\(TerminalText.visible(message))")
        }, willLoadIntoProcess: { HostedPlugins.prepare() }, willStartChildHost: { HostedPlugins.hide() }))
  }

  /// Returns the plugins available to pipelines.
  func source() -> PluginSource { .host(host()) }
}
