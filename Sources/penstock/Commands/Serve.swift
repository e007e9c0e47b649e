import ArgumentParser
import Glibc
import OperatingSystem
import PluginHost
import ServeArguments

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "serve",
    abstract: "Run a host that starts pipelines when they are due",
    discussion: """
      Serves a folder of pipelines: runs each when its schedule, another trigger, or a condition asks for it. \
      Stays in the foreground until it is drained, and logs to standard error: text on a terminal, else one JSON \
      object per line. Watches the files; a file with errors keeps its last good version. `penstock status` \
      shows what the host does.

        penstock serve                              ./pipelines
        penstock serve --config /etc/penstock/host.yaml
        penstock serve pipelines --check            for CI, and before a start

      SIGTERM, Ctrl-C or `penstock drain` start no more runs, wait for the active ones, then exit with 0; the \
      second time, they cancel the active runs. SIGHUP or `penstock reload` reloads the configuration and the \
      pipelines. Only one host can serve a workspace; a second one exits with 3.
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
        "'\(program)' is missing, but `penstock serve` needs it; install it beside penstock (`make install` does)",
        status: .engineFailed)
    }
    return program
  }
}
