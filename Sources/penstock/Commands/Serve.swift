import ArgumentParser
import Glibc
import OperatingSystem
import PluginHost
import ServeArguments

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "serve",
    abstract: "Serve pipelines: run them when their controllers and conditions say so.",
    discussion: """
      Runs in the foreground until it is told to drain, and logs to standard error: \
      text on a terminal, else one JSON object a line. Files are watched; a bad edit \
      keeps the last good version. `penstock status` shows what it does.

        penstock serve                              ./pipelines
        penstock serve --config /etc/penstock/host.yaml
        penstock serve pipelines --check            for CI, and before a start

      SIGTERM, Ctrl-C or `penstock drain`: begin nothing more, let what goes on end, \
      then exit with 0; again, cancel it. SIGHUP or `penstock reload`: read the \
      configuration and the pipelines anew. One host serves a workspace; a second one \
      exits with 3.
      """)

  @OptionGroup var arguments: HostArguments

  func run() throws {
    try ThreadLimit.requireRoom(for: ThreadLimit.leastOfHost)
    try MemoryLimit.requireRoomForHost()
    let words = SharedOptions.behindCommand(Arguments.words).drop { $0 == "serve" }
    let program = try Self.program()
    var pointers = (["penstock-host"] + words).map { strdup($0) } + [nil]
    execv(program, &pointers)
    throw CommandFailure("cannot start '\(program)': \(SystemError.text(of: errno))", status: .engineFailed)
  }

  /// Returns the path of the program that replaces this one, in the same directory.
  private static func program() throws -> String {
    guard let resolved = realpath(OwnExecutable.path, nil) else {
      throw CommandFailure("cannot tell where penstock is: \(SystemError.text(of: errno))", status: .engineFailed)
    }
    defer { free(resolved) }
    let own = String(cString: resolved)
    let program = (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "") + "penstock-host"
    guard access(program, X_OK) == 0 else {
      throw CommandFailure(
        "'\(program)' is missing, which serves pipelines; install it beside penstock (`make install` does)",
        status: .engineFailed)
    }
    return program
  }
}
