import PluginHost

/// The child host that the tests of `PluginHost` start: what `penstock plugin-host` is for the tool.
@main
enum PluginHostChild {
  static func main() { ChildHost.main() }
}
