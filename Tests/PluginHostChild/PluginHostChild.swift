import PluginHost

/// The child host that the tests of `PluginHost` start: what `penstock plugin-host` is for the tool.
///
/// With `leaks FILE` it is a host that opens and closes its own children, alone in its process, and counts what is left of them.
@main
enum PluginHostChild {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "leaks" { return try LeakCount.run(CommandLine.arguments[2]) }
    ChildHost.main()
  }
}
