// # penstock
//
// The command-line tool: reads arguments, asks `PipelineService`, and shows what comes of it. It must never know how a pipeline is
// checked, run or recorded, nor decide which run starts; what is worth telling about a run is worked out in `RunReports`, and only
// laid out here.
//
// A form of output is a case of `OutputFormat`, and what each command prints in it goes through `CommandOutput`, both in
// `Options/CommandOutput`.
//
// Where a change belongs:
//
// - A command is a file in `Commands`, and a word in the groups of ``Penstock``; `Documentation/command-line.md` has each of its options, which a test sees to.
// - A column of a table for people is laid out by its command; a member of `--json` and a column of `--csv` in `Encoding` of `RunReports`.
// - How logs are followed: `Logs` for `penstock logs`, `Running/OutputFollower` while a run is shown, `LogTail` for the last lines of what failed.
// - An exit code is ``ExitStatus``; which error has which is `FailureReport` in `PipelineService`.
//
// Read first: ``Penstock`` (the commands), ``SharedOptions`` (what all of them understand), ``CommandFailure`` (how they fail).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Commands`: a file for each command.
// - `Options`: what several of them understand.
// - `Running`: shows a run, and answers signals meanwhile.
// - `Logs`: prints log files.
// - `Input`: reads files and standard input.
// - `Process`: this process, from its beginning to its exit code.
// - `Terminal`: how things look.

import ArgumentParser
import CProcess
import Glibc
import PipelineService
import PluginHost

@main
struct Penstock: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "penstock",
    abstract: "Runs pipelines of chained operations, and keeps their history.",
    discussion: """
      A pipeline is a YAML file that names operations and says what each one needs. Penstock checks the whole file before it \
      starts anything, hands the result of one operation to the operations that need it, tries failures again, and records \
      every attempt in a workspace that you can query.

      First steps:
        penstock init hello.yaml
        penstock run hello.yaml
        penstock history list

      Runs are named by their id, which may be shortened, or by `last`.

      Exit codes: 0 succeeded, 1 the run failed, 2 usage or invalid file, 3 the engine failed, 130 cancelled.
      """,
    version: Version.current,
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
    // Nothing that the tool does for people is for a child host, which is started by the tool itself.
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

  /// Help and versions are successes on standard output; wrong arguments are the only other thing the parser throws.
  private static func reportParsing(_ error: any Error) -> ExitStatus {
    let text = fullMessage(for: error)
    guard exitCode(for: error) != .success else {
      TextOutput.standard.writeLine(text)
      return .succeeded
    }
    // A shell that asks for completions shows what it is told in the middle of a line.
    if Arguments.words.first == "---completion" { return .usage }
    TextOutput.standard.flush()
    let words = SharedOptions.behindCommand(Arguments.words)
    let suggestion = CommandSuggestion(root: Penstock.self).text(for: words)
    TextOutput.error.writeLine(TerminalLines.visible(suggestion.map { "penstock: \($0)" } ?? text))
    return .usage
  }

  /// Reads the arguments.
  ///
  /// A subcommand that is named first, and whose arguments are right, is read without the rest of the tree: looking at every command costs
  /// more than reading one does. Whatever is wrong or asks for help is left to the whole tree, which knows how to say it.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    if let name = arguments.first, let subcommand = configuration.subcommand(named: name),
      let command = try? subcommand.parseAsRoot(Array(arguments.dropFirst())),
      // Where help is asked for, the parser answers with a command of its own.
      type(of: command) == subcommand
    {
      return command
    }
    // The parser answers what it does not know with the help of the root.
    if arguments.first == "help", let mistake = CommandSuggestion(root: Penstock.self).text(for: arguments) {
      throw CommandFailure(mistake)
    }
    return try parseAsRoot(arguments)
  }
}

extension CommandConfiguration {
  /// The configuration of a command that ``Penstock`` names among its subcommands.
  ///
  /// Before anything else, the parser looks for a request for a completion script, for which it reads the arguments as two commands of its own. That is a
  /// third of its time, and it does so for what it takes for the root of a tree, unless that says to belong to another command. The whole tree still
  /// answers such requests.
  static func subcommand(
    commandName: String, abstract: String, discussion: String = "", subcommands: [any ParsableCommand.Type] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: commandName, _superCommandName: "penstock", abstract: abstract, discussion: discussion,
      subcommands: subcommands, defaultSubcommand: defaultSubcommand)
  }

  /// The subcommand that is called `name`.
  fileprivate func subcommand(named name: String) -> (any ParsableCommand.Type)? {
    subcommands.first { $0.configuration.commandName == name }
  }
}
