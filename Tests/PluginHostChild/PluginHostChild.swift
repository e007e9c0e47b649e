import Glibc
import PluginHost

/// The child host that the tests of `PluginHost` start: what `penstock plugin-host` is for the tool.
///
/// With `leaks FILE` it is a host that opens and closes its own children, alone in its process, and counts what is left of them; with
/// `dies FILE INPUT` one that is there to be killed, and with `loads FILE` one that loads a plugin into itself.
@main
enum PluginHostChild {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "leaks" { return try LeakCount.run(CommandLine.arguments[2]) }
    if CommandLine.arguments.dropFirst().first == "dies" {
      return try DyingHost.run(CommandLine.arguments[2], CommandLine.arguments[3])
    }
    if CommandLine.arguments.dropFirst().first == "loads" { return try load(CommandLine.arguments[2]) }
    ChildHost.main()
  }

  /// Loads the plugin as a host does, describes and opens it.
  private static func load(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    // Where a child host has the file.
    guard file >= 0, dup2(file, 4) == 4 else { exit(1) }
    let hello = ChildHello(path: path, memory: 1 << 30, descriptors: 64)
    _ = try ChildHost.load(hello, SystemPluginClock.shared) { _, _ in }
  }
}
