import ArgumentParser
import PipelineService
import RunHistory
import Values

struct Reload: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "reload",
    abstract: "Have the host read its configuration and its pipelines anew.",
    discussion: """
      A host hears of changed pipelines by itself, but on file systems that do not \
      tell of changes; its own file it reads anew when it is asked. One with errors \
      changes nothing, and `penstock status` says so.
      """)

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let host = try HostRequest.reload.host(in: history)
    guard host.state != .draining else {
      throw CommandFailure(
        "the host in process \(host.owner.pid) is draining, and reads nothing anew; the next host reads all of it")
    }
    try history.ask(.reload, for: Requester(QuestionAnswer.loginName()), at: .now)
    shared.output.confirm(["requested": "reload", "pid": JSONValue(Int(host.owner.pid))]) {
      TextOutput.standard.writeLine(
        "Asked the host in process \(host.owner.pid) to read its configuration and its pipelines anew; `penstock status` shows what is wrong with them."
      )
    }
  }
}

struct Drain: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "drain",
    abstract: "Have the host begin nothing more, and end when what goes on has ended.",
    discussion: """
      Runs that go on may take the time that the host's configuration gives them, ten \
      minutes by default; then they are cancelled. The queue stays. --now cancels them \
      at once, also where the host drains already; a second --now gives them no grace. \
      With --wait, returns when the host has ended, and exits with 1 where it ended \
      without having stopped.

        penstock drain --wait && penstock serve --config host.yaml
        penstock drain --now
      """)

  @Flag(help: "Return when the host has ended; on a terminal, show how many runs still go on.")
  var wait = false

  @Flag(help: "Cancel what goes on; given again, without grace.")
  var now = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let host = try HostRequest.drain.host(in: history)
    let isAgain = try host.state == .draining || history.isDrainAsked()
    if now || !isAgain {
      try history.ask(now ? .drainNow : .drain, for: Requester(QuestionAnswer.loginName()), at: .now)
    }
    let process = "the host in process \(host.owner.pid)"
    let words =
      now
      ? "Asked \(process) to cancel what goes on, and to end."
      : isAgain
        ? "\(process.prefix(1).uppercased())\(process.dropFirst()) is draining already; --now cancels what goes on."
        : "Asked \(process) to drain."
    let asked: [(String, JSONValue)] = [
      ("requested", .string(HostRequest.drain.rawValue)), ("pid", JSONValue(Int(host.owner.pid))),
      ("cancels", .bool(now)),
    ]
    guard wait else {
      return shared.output.confirm(.object(.init(uniqueKeysWithValues: asked))) { TextOutput.standard.writeLine(words) }
    }
    if shared.output.isTalkative { TextOutput.standard.writeLine(words) }
    TextOutput.standard.flush()
    let end = try HostEnd(of: host, in: history, showing: shared.output.isTalkative).wait()
    shared.output.confirm(.object(.init(uniqueKeysWithValues: asked + [("state", .string(end.state.rawValue))]))) {
      if end.state == .stopped { TextOutput.standard.writeLine("It has stopped.") }
    }
    guard end.state == .stopped else {
      throw CommandFailure(
        "\(process) ended without having stopped; the next host resumes its runs, and `penstock history list --state interrupted` shows them",
        status: .failed)
    }
  }
}

extension HostRequest {
  /// Returns the host that serves the workspace.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  fileprivate func host(in history: History) throws -> HostRecord {
    guard let host = try history.currentHost() else {
      throw CommandFailure(
        "no host serves the workspace '\(history.workspace.directory)'; there is nothing to \(rawValue)")
    }
    return host
  }
}
