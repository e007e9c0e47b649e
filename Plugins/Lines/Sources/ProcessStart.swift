import CProcess
import Glibc
import PluginKit

/// Starts a command in its own session, without standard input, in the host's environment.
///
/// - Returns: Its process id, and a descriptor that becomes readable when it ends.
func startProcess(
  _ command: [String], directory: String?, output: FileDescriptor, error: FileDescriptor
) throws -> (id: pid_t, descriptor: Int32) {
  let program = try findProgram(command[0])
  return try withCStrings(command) { arguments in
    try program.withCString { program in
      try (directory ?? ".").withCString { path in
        try "/dev/null".withCString { null in
          var request = penstock_spawn_request(
            path: program, arguments: arguments, environment: environ, directory: directory == nil ? nil : path,
            input: penstock_stream(descriptor: -1, path: null),
            output: penstock_stream(descriptor: output.number, path: nil),
            error: penstock_stream(descriptor: error.number, path: nil), inherited: nil, inherited_count: 0)
          var id: pid_t = 0
          var descriptor: Int32 = -1
          let failure = penstock_spawn(&request, &id, &descriptor)
          guard failure == 0 else {
            let place = directory.map { " in '\($0)'" } ?? ""
            throw PluginProblem(
              "command-not-started", "'\(command[0])' cannot be started\(place): \(systemMessage(failure))")
          }
          return (id, descriptor)
        }
      }
    }
  }
}

/// Returns the file of a program: the argument itself if it is a path, otherwise the first executable in `PATH`.
private func findProgram(_ name: String) throws -> String {
  if name.utf8.contains(UInt8(ascii: "/")) { return name }
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
  for directory in path.split(separator: ":") {
    let file = "\(directory)/\(name)"
    if access(file, X_OK) == 0 { return file }
  }
  throw PluginProblem("command-not-found", "the program '\(name)' was not found in PATH (\(path))")
}

private func withCStrings<Value>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Value
) throws -> Value {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  guard !pointers.contains(nil) else { throw systemProblem("strdup", ENOMEM) }
  pointers.append(nil)
  return try body(pointers)
}
