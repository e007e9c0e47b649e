import ArgumentParser
import PipelineService
import RunHistory
import Values

struct Reload: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "reload",
    abstract: "Have the host read its pipelines anew.",
    discussion: """
      A host hears of changed files by itself; this is for file systems that do not \
      tell of changes.
      """)

  @OptionGroup var shared: SharedOptions

  func run() throws { try HostRequest.reload.ask(shared, "read its pipelines anew") }
}

struct Drain: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "drain",
    abstract: "Have the host begin nothing more, and end when what goes on has ended.",
    discussion: """
      Runs that go on may take the time that the host's configuration gives them, ten \
      minutes by default; then they are cancelled. The queue stays. Asked once more, \
      the host cancels them at once.
      """)

  @OptionGroup var shared: SharedOptions

  func run() throws { try HostRequest.drain.ask(shared, "drain") }
}

extension HostRequest {
  /// Asks the host that serves the workspace.
  fileprivate func ask(_ shared: SharedOptions, _ words: String) throws {
    let history = try shared.requireHistory(writing: true)
    guard let host = try history.currentHost() else {
      throw CommandFailure(
        "no host serves the workspace '\(history.workspace.directory)'; there is nothing to \(rawValue)")
    }
    try history.ask(self, for: Requester(QuestionAnswer.loginName()), at: .now)
    shared.output.confirm(["requested": .string(rawValue), "pid": JSONValue(Int(host.owner.pid))]) {
      TextOutput.standard.writeLine("Asked the host in process \(host.owner.pid) to \(words).")
    }
  }
}
