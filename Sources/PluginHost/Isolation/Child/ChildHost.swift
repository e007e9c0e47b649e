import CProcess
import Glibc
import Values

/// The child host: a process that runs one plugin for the host to which it is connected.
///
/// Descriptor 3 is the connection, descriptor 4 the plugin's file, and descriptor 5 the connection to the host's clock if that is not the system's.
/// The process ends with its host, however the host ends.
package enum ChildHost {
  /// Loads the plugin, and returns whether it was compiled with a later minor version of the contract.
  package typealias Loader =
    @Sendable (
      ChildHello, _ clock: any PluginClock, _ log: @escaping @Sendable (PluginLogLevel, String) -> Void
    ) throws(PluginError) -> (connection: any PluginConnection, isNewer: Bool)

  /// The first argument that makes the tool a child host. It is of no use to people, so the help does not mention it.
  package static let argument = "plugin-host"

  /// The command by which this program starts itself as a child host, even if its file has been moved or replaced: see
  /// ``PluginLoader/Configuration/childHost``. Only for a program that calls ``main(load:)`` when its first argument is ``argument``.
  package static let command = [OwnExecutable.path, argument]

  /// The exit code of a child that received an invalid message.
  static let protocolError: Int32 = 76

  private static let socket: Int32 = 3
  private static let file: Int32 = 4
  static let clock: Int32 = 5

  /// Serves the host until it has ended or closes the child. Called by a process that was started only for this, before it has done anything else.
  package static func main(load: @escaping Loader = ChildHost.load) -> Never {
    guard fcntl(socket, F_GETFD) >= 0, fcntl(file, F_GETFD) >= 0 else {
      complain("penstock starts this command itself, for plugins with 'isolation: process'")
      exit(2)
    }
    // Keep processes that the plugin starts from inheriting them.
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    _ = penstock_die_with_parent()
    _ = penstock_keep_privileges()
    signal(SIGPIPE, SIG_IGN)
    ChildServer(socket: socket, load: load).serve()
  }

  /// Loads the file behind descriptor 4 into the process.
  package static let load: Loader = { hello, clock, log throws(PluginError) in
    var options = InProcessConnection.Options()
    options.clock = clock
    options.log = { level, _, message in log(level, message) }
    let image = try PluginImage.open(hello.path, descriptor: file, log: options.log)
    return (try InProcessConnection(image, options: options), image.isNewer)
  }

  static func complain(_ message: String) {
    let line = Array("penstock plugin-host: \(message)\n".utf8)
    _ = write(2, line, line.count)
  }
}
