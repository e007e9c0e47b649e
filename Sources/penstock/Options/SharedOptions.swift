import ArgumentParser
import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Workspace

/// The options of every command.
struct SharedOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "The workspace to use",
      discussion: """
        Else $PENSTOCK_WORKSPACE, the nearest .penstock/ upward from the pipeline file (from the current directory for \
        a command without a file), or penstock in the XDG state directory.
        """,
      valueName: "path"))
  var workspace: String?

  @Flag(help: "Print JSON, one object per line")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and what was asked for")
  var quiet = false

  @Option(help: ArgumentHelp("Use colours: auto, always or never; NO_COLOR is honoured", valueName: "when"))
  var color: ColorChoice = .auto

  /// The names of these options; those in ``valued`` are followed by a value.
  static let names = ["--workspace", "--json", "--quiet", "-q", "--color"]
  static let valued: Set = ["--workspace", "--color"]

  /// Returns the arguments with options before the command moved behind it, where the parser expects them.
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

  /// The width for tables in columns; nil if output goes to a file or a program, which gets complete values.
  var tableWidth: Int? {
    TextOutput.standard.isTerminal ? TerminalSize.current().columns : nil
  }

  /// Returns the location of the workspace, which need not exist. `file` is the command's pipeline file, if any.
  func location(for file: String? = nil) throws -> WorkspaceLocation {
    if workspace?.isEmpty == true { throw CommandFailure("--workspace needs a path") }
    guard let location = WorkspaceLocation.find(option: workspace, file: file) else {
      throw CommandFailure(
        "cannot find the workspace, because there is no home directory; name one with --workspace DIR")
    }
    return location
  }

  /// Opens the history for reading. Returns nil if there is no workspace yet and none was named; this is reported on standard error.
  func openHistory() throws -> History? {
    let location = try location()
    if let history = try location.historyIfPresent(isNeeded: true) { return history }
    reportMissing(location)
    return nil
  }

  /// Reports on standard error that there is no workspace.
  func reportMissing(_ location: WorkspaceLocation) {
    if !quiet { TextOutput.error.writeMessage("penstock: \(WorkspaceMissing(location: location).description)") }
  }

  /// Opens the history like ``openHistory()``, but without a report, and also returns nil if the environment names a workspace that does not exist yet.
  func openHistoryIfPresent() throws -> History? { try location().historyIfPresent() }

  /// Opens the history for a command that needs an existing run. With `writing`, runs whose host has ended are marked as interrupted.
  func requireHistory(writing: Bool = false) throws -> History {
    let location = try location()
    return try writing ? location.writableHistory(durability: DurabilitySetting.value()) : location.history()
  }

  /// Opens the history for a command that writes a request to the host or to a process executing a run: reports on standard error what prevents the host
  /// from acting on it.
  ///
  /// - Parameter isBrief: Whether the command ends after the request, without following anything.
  /// - Returns: The history.
  /// - Throws: ``CommandFailure``, or the error that prevents the workspace from being opened for writing.
  func requireHistoryForHost(isBrief: Bool = true) throws -> History {
    let history = try location().writableHistory(
      first: isBrief ? .onlyWriter : .reader, durability: DurabilitySetting.value())
    if let standstill = try history.standstill() { warn(of: standstill) }
    return history
  }

  /// Reports what prevents a process from acting on a request.
  func warn(of standstill: HostStandstill) {
    if !quiet { TextOutput.error.writeMessage("penstock: \(standstill.words)") }
  }

  /// Reports that the process executing a run is stopped, unless that is the host, for which ``requireHistoryForHost()`` reports it.
  func warn(ofProcessOf run: RunRecord, in history: History) throws {
    guard run.state == .running, run.owner.isStopped, try history.currentHost()?.owner != run.owner else { return }
    warn(of: .stopped(pid: run.owner.pid))
  }
}

extension SharedOptions {
  /// Opens the service for a command that builds on a former run.
  func openService(plugins: PluginSource) throws -> RunService {
    try RunService(at: location(), configuration(plugins))
  }

  private func configuration(
    _ plugins: PluginSource, of host: HostDefinition? = nil, runsEverythingHere: Bool = false
  ) throws -> RunService.Configuration {
    var configuration = RunService.Configuration(
      plugins: plugins, durability: try DurabilitySetting.value(), keepsLogTimes: try LogTimesSetting.value(),
      testing: .ofEnvironment())
    let resources = host?.resources.map { ($0.name, $0.capacity) } ?? []
    configuration.runsEverythingHere = runsEverythingHere
    configuration.capacity.resources = Dictionary(resources) { first, _ in first }
    return configuration
  }

  /// Opens the service for a run of a file. Reports on standard error if its record is in an unexpected place: in a new workspace that was not
  /// named explicitly, or in a different one from that of commands without a file.
  func openService(
    for file: String, plugins: PluginSource, of host: HostDefinition? = nil, runsEverythingHere: Bool = false
  ) throws -> RunService {
    let location = try location(for: file)
    let isNew = !location.hasDatabase
    let service = try RunService(
      creatingAt: location, configuration(plugins, of: host, runsEverythingHere: runsEverythingHere))
    guard !quiet, location.start != nil else { return service }
    if try self.location().path != location.path {
      TextOutput.error.writeMessage(
        "penstock: recorded in '\(location.path)', the workspace of the pipeline file; in this directory, other commands need\(ShellText.option("--workspace", location.path))"
      )
    } else if isNew, location.origin == .state {
      TextOutput.error.writeMessage("penstock: created the workspace '\(location.path)' (\(location.originText))")
    }
    return service
  }

  /// Returns how a run of `pipeline` is shown.
  func presentation(of pipeline: PipelineDefinition?, in service: RunService) -> RunPresentation {
    var presentation = RunPresentation(
      pipeline: pipeline, workspace: service.history.workspace.directory, isJSON: output.format == .json,
      isQuiet: quiet, color: color)
    presentation.waits = WaitSource(service.history)
    presentation.answer = { run, operation, isApproved in
      let answer = QuestionAnswer(
        isApproved: isApproved, note: nil, who: QuestionAnswer.loginName(), by: .terminal)
      _ = try answer.give(to: operation, of: run, in: service.history)
    }
    return presentation
  }
}
