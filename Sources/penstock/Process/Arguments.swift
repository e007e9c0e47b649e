import CProcess

/// The arguments that this process was started with.
enum Arguments {
  /// All arguments, the name of the program first; invalid UTF-8 is replaced.
  ///
  /// `CommandLine.arguments` is empty if something has changed the environment before `main` (an agent in `LD_PRELOAD` that calls
  /// `setenv`) or if `/proc` is missing; every command would then print the help and succeed.
  static let all: [String] = {
    let given = (0..<penstock_argument_count()).compactMap { penstock_argument($0) }.map { String(cString: $0) }
    return given.isEmpty ? CommandLine.arguments : given
  }()

  /// The arguments without the name of the program.
  static var words: [String] { Array(all.dropFirst()) }
}
