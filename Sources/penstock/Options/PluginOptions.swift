import ArgumentParser
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
}
