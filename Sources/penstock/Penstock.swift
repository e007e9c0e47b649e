// # penstock
//
// The command-line tool: reads arguments, calls `PipelineService`, and shows the outcome. It must never know how a pipeline is
// checked, run or recorded, nor decide which run starts; the content of reports on runs is determined in `RunReports`, and only
// laid out here.
//
// An output format is a case of `OutputFormat`, and everything that a command prints in it goes through `CommandOutput`; both are in
// `Options/CommandOutput`.
//
// Where a change belongs:
//
// - A command is a file in `Commands`, and is listed in the groups of ``Penstock``; a test checks that `Documentation/command-line.md` has all of its
//   options.
// - A column of a table for people is laid out by its command; a member of `--json` and a column of `--csv` are in `Encoding` of `RunReports`.
// - Following logs: `Logs` for `penstock logs`, `Running/OutputFollower` while a run is shown, `LogTail` for the last lines of failed operations.
// - An exit code is an ``ExitStatus``; `FailureReport` in `PipelineService` determines which error has which.
//
// Read first: ``Penstock`` (the commands), ``SharedOptions`` (the options of all commands), ``CommandFailure`` (how commands fail).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Commands`: one file per command.
// - `Options`: options shared by several commands.
// - `Running`: shows a run, and handles signals in the meantime.
// - `Logs`: prints log files.
// - `Input`: reads files and standard input.
// - `Process`: this process, from its start to its exit code.
// - `Terminal`: layout and styling.

import ArgumentParser
import CProcess
import Glibc
import PipelineService
import PluginHost

@main
struct Penstock: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "penstock",
    abstract: "Run pipelines of operations, and keep their history",
    discussion: """
      A pipeline is a YAML file that names operations and says what each one needs. Penstock checks the whole \
      file before it starts anything, passes the result of each operation to those that need it, retries \
      failures, and records every attempt in a workspace that you can query.

      First steps:
        penstock init hello.yaml
        penstock run hello.yaml
        penstock history list

      A run is named by its id, which may be shortened, or by `last`.

      Exit codes: 0 succeeded, 1 the run failed, 2 usage or invalid file, 3 the engine failed, 130 cancelled.
      """,
    version: Version.current,
    subcommands: [Worker.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Write", subcommands: [Init.self, Check.self, Graph.self, Eval.self, ScheduleCommands.self, Schema.self]),
      CommandGroup(
        name: "Run",
        subcommands: [
          Run.self, BackfillCommand.self, Resume.self, Retry.self, Cancel.self, Approve.self, Wake.self, Attach.self,
        ]),
      CommandGroup(
        name: "Serve",
        subcommands: [
          Serve.self, Status.self, Start.self, Queue.self, Occasions.self, PauseCommand.self, Unpause.self, Reload.self,
          Drain.self,
        ]),
      CommandGroup(
        name: "Look",
        subcommands: [
          Top.self, List.self, Explain.self, Logs.self, Artifacts.self, HistoryCommands.self, Audit.self, Doctor.self,
        ]),
      CommandGroup(name: "Set up", subcommands: [PluginsCommands.self, Completions.self]),
    ]
  )

  static func main() {
    // A child host is started by the tool itself and needs none of what follows.
    if Arguments.words.first == ChildHost.argument { ChildHost.main() }
    StandardDescriptors.complete()
    InheritedSignals.reset()
    penstock_let_owner_use_files()
    do {
      try DescriptorLimit.requireRoom()
      try ThreadLimit.requireRoom()
      var command = try parse(Eval.settingApart(SharedOptions.behindCommand(Arguments.words)))
      try command.run()
      ExitStatus.succeeded.finish()
    } catch {
      (ExitStatus.reportIfKnown(error) ?? reportParsing(error)).finish()
    }
  }

  /// Reports an error of the parser: help and versions are successes on standard output, and everything else is a usage error.
  private static func reportParsing(_ error: any Error) -> ExitStatus {
    let text = fullMessage(for: error)
    guard exitCode(for: error) != .success else {
      TextOutput.standard.writeLine(text)
      return .succeeded
    }
    // A shell that requests completions would show a message in the middle of a line.
    if Arguments.words.first == "---completion" { return .usage }
    TextOutput.standard.flush()
    let words = SharedOptions.behindCommand(Arguments.words)
    let suggestion = CommandSuggestion(root: Penstock.self).text(for: words)
    TextOutput.error.writeLine(TerminalLines.visible(suggestion.map { "penstock: \($0)" } ?? text))
    return .usage
  }

  /// Parses the arguments.
  ///
  /// A subcommand that is named first and has valid arguments is parsed without the rest of the tree: examining every command takes
  /// longer than parsing one. Errors and requests for help are left to the whole tree, which produces the messages.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    if let name = arguments.first, let subcommand = configuration.subcommand(named: name),
      let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())),
      // If help is requested, the parser returns a command of its own.
      type(of: command) == subcommand
    {
      return command
    }
    // For an unknown command, the parser would print the help of the root.
    if arguments.first == "help", let mistake = CommandSuggestion(root: Penstock.self).text(for: arguments) {
      throw CommandFailure(mistake)
    }
    return try parseAsRoot(arguments)
  }
}

extension CommandConfiguration {
  /// Creates the configuration of a direct subcommand of ``Penstock``.
  ///
  /// The parser first checks for a request for a completion script by parsing the arguments as two commands of its own. This takes a third of its time, and
  /// happens for the root of every tree, unless the root declares that it belongs to another command. The whole tree still
  /// answers such requests.
  static func subcommand(
    commandName: String, abstract: String, discussion: String = "", shouldDisplay: Bool = true,
    subcommands: [any ParsableCommand.Type] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: commandName, _superCommandName: "penstock", abstract: abstract, discussion: discussion,
      shouldDisplay: shouldDisplay, subcommands: subcommands, defaultSubcommand: defaultSubcommand)
  }

  /// Returns the subcommand called `name`.
  fileprivate func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    subcommands.first { $0.configuration.commandName == name }
  }
}
