import ArgumentParser
import PipelineLanguage
import PluginHost

/// Where plugins come from.
struct PluginOptions: ParsableArguments, Sendable {
  @Option(
    name: .customLong("plugin"),
    help: ArgumentHelp(
      "A plugin's shared object to use, beside those that are found; may be repeated.",
      discussion:
        "Found are those beside penstock, in ../lib/penstock/plugins from there, and in $PENSTOCK_PLUGIN_PATH.",
      valueName: "file"))
  var files: [String] = []

  /// Where to look: the standard directories, and the files named.
  var finder: PluginFinder { PluginFinder(directories: PluginDirectory.standard(), files: files) }

  /// A host of these plugins, whose lines go to standard error.
  func host() -> PluginLoader {
    PluginLoader(
      PluginLoader.Configuration(
        directories: PluginDirectory.standard(), files: files, childHost: [OwnExecutable.path, "plugin-host"],
        log: { level, plugin, message in
          // What only its author wants to know stays out of the way.
          guard level != .debug else { return }
          let word = level == .warning ? "warning: " : level == .error ? "error: " : ""
          TextOutput.error.writeLine("penstock: \(plugin): \(word)\(TerminalText.visible(message))")
        }, willLoadIntoProcess: { HostedPlugins.prepare() }, willStartChildHost: { HostedPlugins.hide() }))
  }

  /// What pipelines may use.
  func source() -> PluginSource { .host(host()) }
}
