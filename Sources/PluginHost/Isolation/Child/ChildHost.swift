import CProcess
import Glibc
import Values

/// The child host: a process that runs one plugin for a host, which it is connected to.
///
/// Descriptor 3 is the connection, descriptor 4 the plugin's file, descriptor 5 the connection to the host's clock where that is not the
/// system's. It ends with its host, whatever happens to that.
package enum ChildHost {
  /// Loads the plugin, and says whether it was compiled with a later minor version of the contract.
  package typealias Loader =
    @Sendable (
      ChildHello, _ clock: any PluginClock, _ log: @escaping @Sendable (PluginLogLevel, String) -> Void
    ) throws(PluginError) -> (connection: any PluginConnection, isNewer: Bool)

  /// The first argument that makes the tool a child host. People have no use for it, so its help does not tell of it.
  package static let argument = "plugin-host"

  /// How this program starts itself as a child host, wherever it is and whatever has become of its file: see
  /// ``PluginLoader/Configuration/childHost``. Only for a program that calls ``main(load:)`` when its first argument is ``argument``.
  package static let command = [OwnExecutable.path, argument]

  /// The exit code of a child that was sent what is no message.
  static let protocolError: Int32 = 76

  private static let socket: Int32 = 3
  private static let file: Int32 = 4
  static let clock: Int32 = 5

  /// Serves the host until it is gone or says that it is enough. Called by a program that was started for this and nothing else, before it
  /// has done anything.
  package static func main(load: @escaping Loader = ChildHost.load) -> Never {
    guard fcntl(socket, F_GETFD) >= 0, fcntl(file, F_GETFD) >= 0 else {
      complain("this is started by penstock itself, for plugins with 'isolation: process'")
      exit(2)
    }
    // What the plugin starts has no business with them.
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
