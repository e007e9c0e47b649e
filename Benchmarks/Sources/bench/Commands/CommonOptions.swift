import ArgumentParser
import FoundationEssentials
import Glibc

/// What every measurement needs.
struct CommonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The program to measure.", valueName: "path"))
  var penstock: String

  @Option(
    help: ArgumentHelp(
      "The directory of the programs `floor`, `stamp` and `stopwatch` and of the plugin `echo`.", valueName: "path"))
  var floors: String

  @Option(help: ArgumentHelp("Write the report to a file too, with every measurement.", valueName: "file"))
  var json: String?

  /// The program to measure.
  func tool() throws -> Tool { Tool(program: try resolved(penstock)) }

  /// Another make must not believe that it is part of the one that started this.
  static func leaveMake() {
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"] { unsetenv(name) }
  }

  /// Tells people who wait what happens.
  static func report(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

/// The absolute path of something that is there.
func resolved(_ path: String) throws -> String {
  guard let resolved = realpath(path, nil) else { throw BenchError("there is no \(path)") }
  defer { free(resolved) }
  return String(cString: resolved)
}
