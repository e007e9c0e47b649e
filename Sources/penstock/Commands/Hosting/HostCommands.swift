import ArgumentParser
import PipelineService
import RunHistory
import Values

struct Reload: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "reload",
    abstract: "Make the host reload its configuration and pipelines",
    discussion: """
      A host notices changed pipelines by itself, except on file systems that report no changes; it reads its \
      own configuration only when asked. A configuration with errors changes nothing; `penstock status` shows \
      the errors.

        penstock reload && penstock status
      """)

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistoryForHost()
    let host = try HostRequest.reload.host(in: history)
    guard host.state != .draining else {
      throw CommandFailure(
        "the host in process \(host.owner.pid) is draining and cannot reload; the next host reads the files when it starts"
      )
    }
    try history.ask(.reload, for: Requester(QuestionAnswer.loginName()), at: .now)
    shared.output.confirm(["requested": "reload", "pid": JSONValue(Int(host.owner.pid))]) {
      TextOutput.standard.writeMessage(
        "Asked the host in process \(host.owner.pid) to reload its configuration and pipelines; `penstock status` shows any errors."
      )
    }
  }
}

struct Drain: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "drain",
    abstract: "Stop the host after its active runs have ended",
    discussion: """
      The host starts no more runs; queued runs stay queued. Active runs may take as long as the host's \
      configuration allows, ten minutes by default; then they are cancelled. --now cancels them at once, even if \
      the host is draining already; a second --now kills their processes without grace. With --wait, returns \
      when the host has stopped, and exits with 1 if it died instead. Ctrl-C ends only the waiting.

        penstock drain --wait && penstock serve --config host.yaml
        penstock drain --now
      """)

  @Flag(help: "Wait until the host has stopped; on a terminal, show how many runs are still active")
  var wait = false

  @Flag(help: "Cancel active runs; given again, kill them without grace")
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
      ? "Asked \(process) to cancel its active runs and stop."
      : isAgain
        ? "\(process.prefix(1).uppercased())\(process.dropFirst()) is draining already; `penstock drain --now` cancels its active runs."
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
      if end.state == .stopped { TextOutput.standard.writeLine("The host has stopped.") }
    }
    guard end.state == .stopped else {
      throw CommandFailure(
        "\(process) died before it finished draining; the next host resumes its runs, which `penstock history list --state interrupted` lists",
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
