/// Something to start: a program and its arguments, in a directory.
struct Command: Sendable {
  /// A path, or a name that is looked up in `PATH`.
  var program: String
  var arguments: [String]
  /// An absolute path; it must exist when the command starts.
  var directory: String

  init(_ program: String, _ arguments: [String], in directory: String) {
    self.program = program
    self.arguments = arguments
    self.directory = directory
  }
}
