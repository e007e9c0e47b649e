import ArgumentParser
import Glibc
import OperatingSystem
import PipelineLanguage
import Values

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "init",
    abstract: "Create a small pipeline file to start from",
    discussion: """
      The file runs as it is, and its comments explain it. An existing file is never overwritten. If there is no \
      workspace for the file yet, also creates a directory .penstock beside it, readable only by you: the \
      workspace of all pipelines in that directory and below.

        penstock init hello.yaml
      """)

  @Argument(help: "The file to create", completion: .file(extensions: ["yaml", "yml"]))
  var file = "pipeline.yaml"

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST {
        throw CommandFailure(
          "'\(file)' exists already and is not overwritten; name another file: penstock init FILE")
      }
      throw CommandFailure("cannot write '\(file)': \(SystemError.text(of: errno))")
    }
    let output = TextOutput(descriptor: descriptor, capacity: 0)
    output.write(StarterPipeline.text(name: StarterPipeline.name(forFile: file)))
    let failure = output.failure
    close(descriptor)
    if let failure {
      unlink(file)
      throw CommandFailure("cannot write '\(file)': \(SystemError.text(of: failure))")
    }
    let workspace = try makeWorkspace()
    shared.output.confirm(["file": .string(file), "workspace": workspace.map { .string($0) } ?? .null]) {
      let shown = ShellText.quoted(file)
      let made = workspace.map { ", and created \(TerminalText.visible($0)) for its history" } ?? ""
      TextOutput.standard.write(
        """
        Wrote \(TerminalText.visible(file))\(made). Now try:
          penstock run \(shown) -p who=you
          penstock history show last

        """)
    }
  }

  /// Creates a directory `.penstock` beside the file, which becomes its workspace, and returns its path. Returns nil if the file already has a
  /// workspace nearer than the state directory, or the directory cannot be created: that workspace is then used.
  private func makeWorkspace() throws -> String? {
    guard try shared.location(for: file).origin == .state else { return nil }
    let path = PathText.join(PathText.directory(of: file), ".penstock")
    guard mkdir(path, 0o700) == 0 else { return nil }
    let descriptor = open(path + "/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return path }
    let output = TextOutput(descriptor: descriptor, capacity: 0)
    output.write(
      """
      # The history of the pipelines in this directory. Pipelines that stand here may be committed.
      /runs/
      /workspace.*

      """)
    close(descriptor)
    return path
  }
}
