import ArgumentParser
import Glibc
import PipelineEngine
import PipelineLanguage
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
    if let history = try openHistoryIfPresent() { return history }
    if !quiet { TextOutput.error.writeLine("penstock: \(try location().searchText)") }
    return nil
  }

  /// The same without the report.
  func openHistoryIfPresent() throws -> History? {
    let location = try location()
    guard location.hasDatabase else {
      guard location.origin == .option else { return nil }
      throw CommandFailure(
        "there is no workspace at '\(location.path)'; a workspace is created by the first `penstock run`")
    }
    return try openForReading(location)
  }

  /// A host that is gone may have left unmasked results, which are not to wait for the next command that writes.
  private func openForReading(_ location: WorkspaceLocation) throws -> History {
    let history = try History.openForReading(at: location.path)
    history.markInterruptedIfPossible()
    return history
  }

  /// Opens the history for a command that needs a run to be there. `writing` also notices runs whose host is gone.
  func requireHistory(writing: Bool = false) throws -> History {
    let location = try location()
    guard location.hasDatabase else {
      throw CommandFailure(
        "\(location.searchText). `penstock run FILE` creates a workspace, --workspace names another")
    }
    guard writing else { return try openForReading(location) }
    let history = try History.open(at: location.path, mode: .readWrite, durability: DurabilitySetting.value())
    do {
      try history.markInterrupted()
    } catch .full {
      // Readers say so all the same, and `prune` must be able to make room.
    }
    return history
  }
}

extension SharedOptions {
  /// The host for a command that goes on from a former run.
  func openHost(plugins: PluginSource) throws -> RunHost {
    let location = try location()
    guard location.hasDatabase else {
      throw CommandFailure(
        "\(location.searchText). `penstock run FILE` creates a workspace, --workspace names another")
    }
    return try RunHost.open(
      workspace: location.path, plugins: plugins, durability: DurabilitySetting.value(), configuration: .ofTool())
  }

  /// Opens the host for a run of a file, and reports on standard error where nobody would expect its record: in a workspace that nobody named
  /// and that is new, or in another than that of commands without a file.
  func openHost(for file: String, plugins: PluginSource) throws -> RunHost {
    let location = try location(for: file)
    let isNew = !location.hasDatabase
    let host = try RunHost.open(
      workspace: location.path, plugins: plugins, durability: DurabilitySetting.value(), configuration: .ofTool())
    guard !quiet, location.start != nil else { return host }
    if try self.location().path != location.path {
      TextOutput.error.writeLine(
        "penstock: recorded in '\(location.path)', the workspace of the pipeline file; in this directory, other commands need --workspace \(ShellText.quoted(location.path))"
      )
    } else if isNew, location.origin == .state {
      TextOutput.error.writeLine("penstock: created the workspace '\(location.path)' (\(location.originText))")
    }
    return host
  }

  /// How a run of `pipeline` is shown.
  func presentation(of pipeline: PipelineDefinition?, in host: RunHost) -> RunPresentation {
    RunPresentation(
      pipeline: pipeline, workspace: host.history.workspace.directory, isJSON: json, isQuiet: quiet, color: color)
  }
}
