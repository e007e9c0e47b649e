import ArgumentParser
import Expressions
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values
import Workspace

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "explain",
    abstract: "Explain why a run, an operation or a pipeline waits, failed or did not run",
    discussion: """
      Without an operation, explains everything in the run that did not simply succeed. Also says what would \
      change it. For a pipeline that a host serves, explains why it is not running and when it will.

        penstock explain last
        penstock explain 03kx9fab deploy
        penstock explain nightly
      """)

  @Argument(
    help: ArgumentHelp(
      "The run (its id, the beginning of it, or `last`), or the name of a pipeline that a host serves",
      valueName: "run"), completion: ArgumentCompletion.runs())
  var runName = "last"

  @Argument(
    help:
      "The operation: `name`, `name[3]` or `name[label]` for an item of a loop, `name/inner` for one of the run that `name` started",
    completion: ArgumentCompletion.operations)
  var operation: String?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    let reference = RunReference(history: history)
    if operation == nil, let pipeline = try PipelineExplanation(of: runName, in: history) {
      guard (try? reference.find(runName)) != nil else { return show(pipeline, reference) }
      // A word for the latest run keeps that meaning.
      guard History.latestRunWords.contains(runName) else {
        throw CommandFailure(
          "'\(runName)' is both a pipeline and the beginning of a run's id; write more of the id, or run `penstock status \(runName)`"
        )
      }
    }
    if operation == nil, (try? reference.find(runName)) == nil {
      if try explainUnserved(reference) { return }
      if let vanished = try VanishedPipeline(of: runName, in: history) {
        try history.requireReady(for: runName)
        return show(vanished, reference)
      }
    }
    var record = try operation == nil ? reference.findWhereNoPipeline(runName) : reference.find(runName)
    var operation = operation
    if let path = operation {
      let end = try reference.end(of: path, from: record)
      record = end.run
      operation = end.operation
    }
    try explain(record, operation, reference)
  }

  /// Explains the runs of a pipeline that is not served, for example because its file was removed while they were active. Returns false if there are none.
  private func explainUnserved(_ reference: RunReference) throws -> Bool {
    let history = reference.history
    let runs = try history.runs(RunFilter(states: [.queued, .running], order: .oldestFirst))
      .filter { $0.pipeline == runName && !$0.state.isFinal }
    guard !runs.isEmpty else { return false }
    if shared.output.format == .text {
      var filter = OccasionFilter()
      (filter.pipeline, filter.limit) = (runName, 1)
      let once = try history.occasions(filter).isEmpty ? "" : " any more"
      let what = runs.count == 1 ? "one run of it is active" : "\(runs.count) runs of it are active"
      TextOutput.standard.writeLine(
        "\(shared.style.paint(TerminalText.visible(runName), .bold)) is not served\(once), but \(what):")
    }
    for run in runs.prefix(Self.mostRuns) { try explain(run, nil, reference) }
    return true
  }

  /// The maximum number of runs of an unserved pipeline that are explained.
  private static let mostRuns = 20

  private func explain(_ record: RunRecord, _ operation: String?, _ reference: RunReference) throws {
    let history = reference.history
    var operation = operation
    let short = reference.short(record.id)
    guard var recorded = try history.loadForResume(record.id) else {
      throw CommandFailure("run \(short) has just been deleted by another command")
    }
    // The record from a reader is `interrupted` if the owner has ended; the stored one may still be `running`.
    recorded.run = record
    let pipeline = PipelineLoader.load(
      text: recorded.definition, path: record.path ?? "\(record.pipeline).yaml", plugins: .unchecked, isRecorded: true
    ).pipeline
    if let name = operation {
      let known = OperationName.find(name, among: pipeline?.operations.map(\.name) ?? [])
      operation = try known ?? reference.operation(name, in: record).name
    }
    let place =
      record.state != .queued
      ? nil : try QueueReport(run: record.id, in: history).places.first
    let explanation = RunExplanation(
      of: recorded, pipeline: pipeline, operation: operation, shortID: short, place: place,
      restart: record.state == .interrupted ? try RunRestart(of: record, in: history) : nil,
      standstill: try history.standstill(ofProcessOf: record),
      busyHost: { try? BusyHost(of: record, in: history) }, processors: record.processors,
      mutualWait: { try? MutualWaits(in: history, short: { reference.short($0) }).words(of: record.id) },
      nestedRuns: { history.nested(in: $0, operation: $1) },
      holders: { (try? history.holders(ofResources: $0)) ?? [] }, short: { reference.short($0) },
      holderOfName: { try? history.holder(ofExclusive: $0) })
    shared.output.print {
      explanation.jsonValues()
    } text: {
      let text = ExplanationText(
        shortID: short, pipeline: record.pipeline, workspace: history.workspace.directory, style: shared.style,
        width: shared.tableWidth)
      for entry in explanation.entries { TextOutput.standard.write(text.text(of: entry)) }
    }
  }

  private func show(_ explanation: PipelineExplanation, _ reference: RunReference) {
    shared.output.print(explanation.jsonValue()) {
      let entry = explanation.entry
      // Problems of its file, and its pause, are separate sentences.
      let standing = entry.state + (entry.doing.map { ": \($0)" } ?? "")
      line(
        "\(shared.style.paint(TerminalText.visible(entry.pipeline.name), .bold)) is \(TerminalText.visible(standing))",
        indentation: 0)
      for sentence in explanation.sentences {
        // A finding is followed by lines of the file.
        let parts = sentence.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        line(TerminalText.visible(parts[0]), indentation: 2)
        for rest in parts.dropFirst() { TextOutput.standard.writeLine(TerminalLines.visible(rest)) }
      }
      for place in explanation.places.prefix(Self.mostPlaces) {
        line(
          "run \(reference.short(place.place.run)) is queued, with \(place.before) before it; it waits for \(TerminalText.oneLine(place.reason))",
          indentation: 2)
      }
      if explanation.places.count > Self.mostPlaces {
        line(
          "more runs are queued behind these; `penstock queue \(ShellText.quoted(entry.pipeline.name))` lists them",
          indentation: 2)
      }
      show(explanation.occasions, reference, startedBy: explanation.startCommand)
    }
  }

  /// The maximum number of queued runs of a pipeline that are shown; `--json` has all.
  private static let mostPlaces = 5

  private func show(_ vanished: VanishedPipeline, _ reference: RunReference) {
    shared.output.print(vanished.jsonValue()) {
      let name = shared.style.paint(TerminalText.visible(vanished.name), .bold)
      line("\(name) is not served any more", indentation: 0)
      for sentence in vanished.sentences { line(sentence, indentation: 2) }
      show(vanished.occasions, reference, startedBy: nil)
    }
  }

  /// `start` is the command that starts a run of the pipeline; nil if nothing does.
  private func show(_ occasions: [Occasion], _ reference: RunReference, startedBy start: String?) {
    guard !occasions.isEmpty else { return }
    line("latest occasions:", indentation: 2)
    for occasion in occasions {
      let run = occasion.ownRun.map { " \(reference.short($0))" } ?? ""
      var text =
        "\(ClockText.dateAndTime(occasion.time)) \(TerminalText.oneLine(occasion.controller ?? occasion.cause.rawValue)): \(occasion.outcome.rawValue)\(run)"
      if let why = occasion.because(short: reference.short, canceller: reference.canceller) {
        let remedy = start.flatMap { occasion.remedy(start: $0) }.map { "; \($0)" } ?? ""
        text += occasion.reason == nil ? " (\(why))" : ": \(why)\(remedy)"
      }
      line(text, indentation: 4)
    }
  }

  private func line(_ text: String, indentation: Int) {
    let line = String(repeating: " ", count: indentation) + CommandHint.complete(text)
    TextOutput.standard.writeLine(TerminalLines.wrapped(line, width: shared.tableWidth, indentation: indentation + 2))
  }
}
