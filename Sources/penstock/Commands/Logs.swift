import ArgumentParser
import Expressions
import PipelineLanguage
import PipelineService
import RunHistory

struct Logs: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "logs",
    abstract: "Show what operations wrote to standard output and error",
    discussion: """
      Prints exactly what the operation wrote; for a loop, item by item, each under its name. Without an \
      operation, each line begins with the name of its operation, and | for standard output or ! for standard \
      error; operations of a run that `deploy` started are named deploy/build. Lines appear in the order in \
      which they were written. With --follow, continues until the run has ended.

        penstock logs last fetch
        penstock logs last 'convert[orders.csv]'
        penstock logs last convert --failed
        penstock logs last fetch --timestamps
        penstock logs last deploy/build
        penstock logs -f
        penstock logs 03kx9fab --tail 20
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs())
  var runName = "last"

  @Argument(
    help:
      "The operation: `name`, `name[3]` or `name[label]` for an item of a loop, `name/inner` for one of the run that `name` started",
    completion: ArgumentCompletion.operations)
  var operation: String?

  @Flag(name: .shortAndLong, help: "Continue with new output until the run has ended")
  var follow = false

  @Option(help: ArgumentHelp("Show the attempt with this number instead of the latest", valueName: "number"))
  var attempt: Int?

  @Flag(help: "Show all attempts")
  var allAttempts = false

  @Flag(help: "Show only operations and items whose latest attempt failed")
  var failed = false

  @Option(help: ArgumentHelp("Begin with this many lines from the end of each log", valueName: "lines"))
  var tail: Int?

  @Flag(name: [.short, .long], help: "Begin each line with the local time it was written")
  var timestamps = false

  @Flag(help: "Pass escape sequences to the terminal instead of showing them as text")
  var raw = false

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    if attempt != nil, allAttempts { throw ValidationError("Choose one of --attempt and --all-attempts.") }
    if let tail, tail < 0 { throw ValidationError("--tail must be 0 or more.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    let isFollowed = follow && !record.state.isFinal
    let end = try end(of: record, reference, isFollowed: isFollowed)
    let selection = LogSelection(
      path: operation.map(OperationName.path) ?? [], attempt: attempt, allAttempts: allAttempts, onlyFailed: failed)
    let printer = LogPrinter(
      isPrefixed: operation == nil, isJSON: shared.output.format == .json,
      isRaw: raw || !TextOutput.standard.isTerminal, isTimed: timestamps, showsAttempts: allAttempts,
      style: shared.style)
    LogReader(
      history: history, run: record.id, selection: selection, printer: printer, tail: tail, isFollowing: follow
    ).read()
    // With `--tail 0` it is unknown whether there were any lines.
    guard !follow, tail != 0, shared.output.isTalkative else { return }
    TextOutput.standard.flush()
    for sentence in try sentences(end ?? record, selection, reference, hasPrinted: printer.hasPrinted) {
      TextOutput.error.writeLine(sentence)
    }
  }

  /// Returns the run that contains the operation at the end of the path. If logs are followed, the operation may not have begun, and so may have no record.
  private func end(of record: RunRecord, _ reference: RunReference, isFollowed: Bool) throws -> RunRecord? {
    do {
      let end = try operation.map { try reference.end(of: $0, from: record) }
      let run = end?.run ?? record
      let name = try end.map { try reference.operation($0.operation, in: run).name }
      if let attempt, !isFollowed { try reference.requireAttempt(attempt, of: name, in: run) }
      return run
    } catch let error as RunReferenceError where isFollowed {
      if case .ambiguousItem = error { throw error }
      return nil
    }
  }

  /// Returns sentences on operations that have written nothing in this run.
  private func sentences(
    _ run: RunRecord, _ selection: LogSelection, _ reference: RunReference, hasPrinted: Bool
  ) throws -> [String] {
    var inner = selection
    inner.path = Array(selection.path.suffix(1))
    let instances = try inner.instances(of: run.id, in: reference.history)
    // For a whole run, a list of what it reused would hide its own output.
    let elsewhere =
      operation == nil && hasPrinted ? [] : LogWhereabouts(of: run, in: reference).sentences(for: instances)
    guard elsewhere.isEmpty, !hasPrinted else { return elsewhere }
    let subject = operation.map { "'\(TerminalText.visible($0))'" } ?? "run \(reference.short(run.id))"
    if failed {
      return [
        instances.isEmpty
          ? "no operation of \(subject) failed in its latest attempt"
          : "the failed attempts of \(subject) wrote no output"
      ]
    }
    return ["\(subject) wrote no output"]
  }
}
