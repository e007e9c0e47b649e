import CProcess
import Glibc
import OperatingSystem

/// The parameters with which a child host is started.
package struct ChildLaunch: Sendable {
  /// An open file that children inherit, kept open as long as one may be started.
  package protocol File: AnyObject, Sendable {
    var descriptor: Int32 { get }
  }

  /// The program and its arguments: see ``PluginLoader/Configuration/childHost``.
  package var command: [String]
  /// The plugin's id if known, otherwise the name of its file; for messages.
  package var name: String
  /// The path at which the plugin's file was found, for messages.
  package var path: String
  /// The verified file of the plugin. The child loads the content of this descriptor, even if the path leads elsewhere by then.
  package var file: any File
  package var limits: PluginReference.Limits
  /// The names of the variables that the child gets in addition to ``standardEnvironment``.
  package var environment: [String]

  package init(
    command: [String], name: String, path: String, file: any File, limits: PluginReference.Limits = .init(),
    environment: [String] = []
  ) {
    self.command = command
    self.name = name
    self.path = path
    self.file = file
    self.limits = limits
    self.environment = environment
  }

  /// The variables that every child gets if the host has them.
  static let standardEnvironment = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"]

  static let defaultMemory: Int64 = 512 << 20
  static let defaultDescriptors = 256

  /// Returns the first message to a child; `clock` is the source of its time.
  func hello(clock: ChildHello.Clock) -> ChildHello {
    ChildHello(
      path: path, memory: limits.memory ?? Self.defaultMemory,
      descriptors: Int64(limits.descriptors ?? Self.defaultDescriptors), clock: clock)
  }

  /// Returns the environment of a child as `NAME=value` entries.
  ///
  /// - Parameter environment: The names of the variables that it gets in addition to ``standardEnvironment``.
  /// - Returns: The entries of those that this process has.
  static func environmentEntries(adding environment: [String]) -> [String] {
    var seen: Set<String> = []
    // Swift's runtime would catch a crash, spend time on a report of fifty lines, and let some signals pass. To get reports, list the variable.
    let quiet = environment.contains("SWIFT_BACKTRACE") ? [] : ["SWIFT_BACKTRACE=enable=no"]
    return quiet
      + (standardEnvironment + environment).compactMap { name in
        guard !name.isEmpty, !name.contains("="), seen.insert(name).inserted, let value = getenv(name) else {
          return nil
        }
        return "\(name)=\(String(cString: value))"
      }
  }

  /// Starts the process. `socket` becomes its descriptor 3, the plugin's file 4 and the connection to the host's clock, if any, 5; `output` becomes
  /// its standard output and standard error.
  func spawn(
    socket: Int32, output: Int32, clock: Int32? = nil
  ) throws(SystemError) -> (pid: Int32, descriptor: Int32) {
    // The file's path is appended for people who read the list of processes.
    let arguments = (command + [path]).map { strdup($0) } + [nil]
    let environment = Self.environmentEntries(adding: environment).map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    let inherited = [socket, file.descriptor] + (clock.map { [$0] } ?? [])
    var (pid, descriptor): (Int32, Int32) = (0, -1)
    let error = "/dev/null".withCString { null in
      withExtendedLifetime(file) {
        arguments.withUnsafeBufferPointer { arguments in
          environment.withUnsafeBufferPointer { environment in
            inherited.withUnsafeBufferPointer { inherited in
              let stream = penstock_stream(descriptor: output, path: nil)
              var request = penstock_spawn_request(
                path: arguments.first ?? nil, arguments: arguments.baseAddress, environment: environment.baseAddress,
                directory: nil, input: penstock_stream(descriptor: -1, path: null), output: stream, error: stream,
                inherited: inherited.baseAddress, inherited_count: inherited.count)
              return penstock_spawn(&request, &pid, &descriptor)
            }
          }
        }
      }
    }
    guard error == 0 else { throw SystemError("execve", error) }
    return (pid, descriptor)
  }
}
