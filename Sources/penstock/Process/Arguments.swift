import CProcess

/// The arguments that this process was started with.
enum Arguments {
  /// All of them, the name of the program first; bytes that are not UTF-8 are replaced.
  ///
  /// `CommandLine.arguments` is empty where something has changed the environment before `main` (an agent that `LD_PRELOAD` names and that calls
  /// `setenv`) or where `/proc` is missing, and then every command would print the help and succeed.
  static let all: [String] = {
    let given = (0..<penstock_argument_count()).compactMap { penstock_argument($0) }.map { String(cString: $0) }
    return given.isEmpty ? CommandLine.arguments : given
  }()

  /// All of them but the name of the program.
  static var words: [String] { Array(all.dropFirst()) }
}
