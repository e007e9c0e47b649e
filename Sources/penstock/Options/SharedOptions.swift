import ArgumentParser
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Workspace

/// What every command understands.
struct SharedOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "The workspace to use.",
      discussion: """
        Else $PENSTOCK_WORKSPACE, the nearest .penstock/ upward from the pipeline file (from the current directory for \
        a command without a file), or penstock in the XDG state directory.
        """,
      valueName: "path"))
  var workspace: String?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing but errors and what was asked for.")
  var quiet = false

  @Option(help: ArgumentHelp("Use colours: auto, always or never. NO_COLOR is honoured.", valueName: "when"))
  var color: ColorChoice = .auto

  /// How the options are written; those in ``valued`` are followed by a value.
  static let names = ["--workspace", "--json", "--quiet", "-q", "--color"]
  static let valued: Set = ["--workspace", "--color"]

  /// The arguments with such options as stand in front of the command behind it, where the parser looks for them.
  static func behindCommand(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var options: [String] = []
    while let option = rest.first, names.contains(String(option.prefix { $0 != "=" })) {
      options.append(rest.removeFirst())
      if valued.contains(option), let value = rest.popFirst() { options.append(value) }
    }
    guard !options.isEmpty, let command = rest.first, !command.hasPrefix("-") else { return arguments }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + options + rest[end...]
  }

  /// The style of standard output.
  var style: Style { Style(color, for: .standard) }

  /// The columns to lay a table out for; nil where output goes to a file or a program, which gets everything.
  var tableWidth: Int? {
    TextOutput.standard.isTerminal ? TerminalSize.current().columns : nil
  }

  /// Where the workspace is, which need not exist. `file` is the pipeline file of a command that has one.
  func location(for file: String? = nil) throws -> WorkspaceLocation {
    if workspace?.isEmpty == true { throw CommandFailure("--workspace needs a path") }
    guard let location = WorkspaceLocation.find(option: workspace, file: file) else {
      throw CommandFailure(
        "cannot tell where the workspace is, because there is no home directory; name one with --workspace")
    }
    return location
  }

  /// Opens the history for looking at it; nil where there is no workspace yet and nobody named one, which is reported on standard error.
  func openHistory() throws -> History? {
    let location = try location()
    if let history = try location.historyIfPresent(isNeeded: true) { return history }
    reportMissing(location)
    return nil
  }

  /// Says on standard error that there is no workspace.
  func reportMissing(_ location: WorkspaceLocation) {
    if !quiet { TextOutput.error.writeLine("penstock: \(WorkspaceMissing(location: location).description)") }
  }

  /// The same without the report, also where the environment names a workspace that is not there yet.
  func openHistoryIfPresent() throws -> History? { try location().historyIfPresent() }

  /// Opens the history for a command that needs a run to be there. `writing` also notices runs whose host is gone.
  func requireHistory(writing: Bool = false) throws -> History {
    let location = try location()
    return try writing ? location.writableHistory(durability: DurabilitySetting.value()) : location.history()
  }

  /// The same for a command that writes something for the host, or for a process that executes a run: reports on standard error what keeps the host from doing it.
  ///
  /// - Parameter isBrief: Whether it ends with that, and follows nothing.
  /// - Returns: The history.
  /// - Throws: ``CommandFailure``, or what keeps the workspace from being opened for writing.
  func requireHistoryForHost(isBrief: Bool = true) throws -> History {
    let history = try location().writableHistory(
      first: isBrief ? .onlyWriter : .reader, durability: DurabilitySetting.value())
    if let standstill = try history.standstill() { warn(of: standstill) }
    return history
  }

  /// Reports what keeps a process from doing what is asked of it.
  func warn(of standstill: HostStandstill) {
    if !quiet { TextOutput.error.writeLine("penstock: \(standstill.words)") }
  }

  /// Reports that the process which executes a run is stopped, where that is not the host, of which ``requireHistoryForHost()`` reports it.
  func warn(ofProcessOf run: RunRecord, in history: History) throws {
    guard run.state == .running, run.owner.isStopped, try history.currentHost()?.owner != run.owner else { return }
    warn(of: .stopped(pid: run.owner.pid))
  }
}

extension SharedOptions {
  /// The host for a command that goes on from a former run.
  func openService(plugins: PluginSource) throws -> RunService {
    try RunService(at: location(), configuration(plugins))
  }

  private func configuration(
    _ plugins: PluginSource, of host: HostDefinition? = nil
  ) throws -> RunService.Configuration {
    var configuration = RunService.Configuration(
      plugins: plugins, durability: try DurabilitySetting.value(), keepsLogTimes: try LogTimesSetting.value(),
      testing: .ofEnvironment())
    let resources = host?.resources.map { ($0.name, $0.capacity) } ?? []
    configuration.capacity.resources = Dictionary(resources) { first, _ in first }
    return configuration
  }

  /// Opens the host for a run of a file, and reports on standard error where nobody would expect its record: in a workspace that nobody named
  /// and that is new, or in another than that of commands without a file.
  func openService(
    for file: String, plugins: PluginSource, of host: HostDefinition? = nil
  ) throws -> RunService {
    let location = try location(for: file)
    let isNew = !location.hasDatabase
    let service = try RunService(creatingAt: location, configuration(plugins, of: host))
    guard !quiet, location.start != nil else { return service }
    if try self.location().path != location.path {
      TextOutput.error.writeLine(
        "penstock: recorded in '\(location.path)', the workspace of the pipeline file; in this directory, other commands need --workspace \(ShellText.quoted(location.path))"
      )
    } else if isNew, location.origin == .state {
      TextOutput.error.writeLine("penstock: created the workspace '\(location.path)' (\(location.originText))")
    }
    return service
  }

  /// How a run of `pipeline` is shown.
  func presentation(of pipeline: PipelineDefinition?, in service: RunService) -> RunPresentation {
    var presentation = RunPresentation(
      pipeline: pipeline, workspace: service.history.workspace.directory, isJSON: output.format == .json,
      isQuiet: quiet, color: color)
    presentation.answer = { run, operation, isApproved in
      let answer = QuestionAnswer(
        isApproved: isApproved, note: nil, who: QuestionAnswer.loginName(), by: .terminal)
      _ = try answer.give(to: operation, of: run, in: service.history)
    }
    return presentation
  }
}
