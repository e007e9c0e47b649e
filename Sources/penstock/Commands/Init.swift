import ArgumentParser
import Glibc
import OperatingSystem
import PipelineLanguage
import Values

struct Init: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "init",
    abstract: "Write a small pipeline file to begin with.",
    discussion: """
      The file runs as it is, and its comments explain it. A file that is there already is never overwritten.

        penstock init hello.yaml
      """)

  @Argument(help: "The file to write.", completion: .file(extensions: ["yaml", "yml"]))
  var file = "pipeline.yaml"

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST {
        throw CommandFailure(
          "'\(file)' is there already, and is not overwritten; name another file: penstock init FILE")
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
    shared.output.confirm(["file": .string(file)]) {
      let shown = ShellText.quoted(file)
      TextOutput.standard.write(
        """
        Wrote \(TerminalText.visible(file)). Now try:
          penstock run \(shown) -p who=you
          penstock history show last

        """)
    }
  }
}
