import ArgumentParser
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

struct HistoryShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a run: its operations, their durations and errors",
    discussion: """
        penstock history show last
        penstock history show last --timeline | less -S
        penstock history show 03kx9fab --json | jq .operations
      """)

  @Argument(
    help: ArgumentHelp("The run: its id, the beginning of it, or `last`", valueName: "run"),
    completion: ArgumentCompletion.runs())
  var runName = "last"

  @Flag(help: "Print CSV, one operation per line") var csv = false
  @Flag(
    inversion: .prefixedNo,
    help: "Show operations as bars on a time axis (default on a terminal)")
  var timeline: Bool?

  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    let history = try shared.requireHistory()
    let reference = RunReference(history: history)
    let record = try reference.find(runName)
    guard var recorded = try history.loadForResume(record.id) else { return }
    // The record from a reader is `interrupted` if the owner has ended; the stored one may still be `running`.
    recorded.run.state = record.state
    if !record.state.isFinal || record.state == .interrupted {
      let loaded = PipelineLoader.load(
        text: recorded.definition, path: record.path ?? "\(record.pipeline).yaml", plugins: .unchecked)
      recorded = recorded.withPending(of: loaded.pipeline)
    }
    shared.output(csv: csv).print {
      CollectionOfOne(History.json(recorded))
    } csv: {
      printCSV(recorded.operations)
    } text: {
      printHeader(record, recorded, reference)
      printOperations(recorded)
      printCauses(recorded)
      printFailures(recorded, reference)
      printArtifacts(recorded)
      if timeline ?? TextOutput.standard.isTerminal {
        let text = TimelineText(style: shared.style, width: shared.tableWidth ?? TerminalSize.current().columns)
        let lines = text.render(recorded)
        TextOutput.standard.write(
          lines.isEmpty && timeline == true ? "No operation has begun.\n" : lines)
      }
    }
  }

  private func printHeader(_ record: RunRecord, _ recorded: RecordedRun, _ reference: RunReference) {
    let style = shared.style
    let output = TextOutput.standard
    func line(_ title: String, _ text: String) {
      let gap = String(repeating: " ", count: max(1, 12 - title.count))
      let line = style.paint(title, .dim) + gap + TerminalText.visible(text)
      output.writeLine(TerminalLines.wrapped(line, width: shared.tableWidth, indentation: 12))
    }
    let took = DurationText.format(
      from: record.startedAt, to: record.endedAt ?? (record.state == .running ? .now : nil))
    let state = style.paint(record.state.rawValue, StatePaint.of(record.state))
    let head =
      "run \(style.paint(reference.short(record.id), .bold)) of \(TerminalText.visible(record.pipeline)) \(state)"
      + (took.isEmpty ? "" : " \(record.endedAt == nil ? "for" : "in") \(took)")
      + " (\(RunText.counts(record, failedHandlers: recorded.operations.failedHandlers(of: record))))"
    output.writeLine(TerminalLines.wrapped(head, width: shared.tableWidth, indentation: 2))
    if let reason = record.tellingReason { line("reason", reason) }
    if let canceller = record.canceller { line("ended", canceller.words) }
    line("started", ClockText.dateAndTime(record.startedAt ?? record.createdAt))
    if let instant = record.instant { line("at", ClockText.dateAndTime(instant)) }
    let trigger = record.trigger.rawValue + (record.controller.map { " \(TerminalText.visible($0))" } ?? "")
    line("by", "\(record.user) on \(record.host), \(trigger), penstock \(record.version)")
    if record.trigger == .retry, let source = record.origin.source {
      line("retry of", "run \(reference.short(source))" + (record.origin.isForced ? ", with --force" : ""))
    }
    if let path = record.path { line("file", path) }
    if let parent = record.parent { line("started by", "\(parent.operation) of run \(reference.short(parent.run))") }
    if !record.labels.isEmpty {
      line("labels", TerminalText.fitted(TerminalText.oneLine(record.labelsText), width: 200))
    }
    if record.params != "{}" { line("params", TerminalText.fitted(TerminalText.oneLine(record.params), width: 200)) }
    line("id", record.id.text)
  }

  private func printOperations(_ recorded: RecordedRun) {
    let operations = recorded.operations
    guard !operations.isEmpty else { return }
    var table = Table([
      .init("OPERATION", names: true), .init("STATE") { StatePaint.ofWord($0) }, .init("TOOK", right: true),
      .init("ATTEMPTS", right: true),
      .init("RESULT OR REASON"),
    ])
    let attempts = Dictionary(grouping: recorded.attempts, by: \.ordinal)
    let showsProcessorTime = recorded.attempts.contains { ($0.processorTime ?? 0) >= Self.tellingProcessorTime }
    if showsProcessorTime { table.columns.insert(.init("CPU", right: true), at: Self.processorTimeColumn) }
    let items = Dictionary(grouping: operations.filter { $0.parent != nil }) { $0.parent ?? 0 }
    for operation in operations where operation.parent == nil {
      add(operation, attempts[operation.ordinal] ?? [], to: &table, indentation: "")
      for item in items[operation.ordinal] ?? [] {
        add(item, attempts[item.ordinal] ?? [], to: &table, indentation: "  ")
      }
    }
    if !showsProcessorTime { for row in table.rows.indices { table.rows[row].remove(at: Self.processorTimeColumn) } }
    TextOutput.standard.write("\n" + table.render(width: shared.tableWidth, style: shared.style))
  }

  /// The minimum processor time of an attempt for which the column is shown, in microseconds: less adds nothing to the durations.
  private static let tellingProcessorTime: Int64 = 1_000_000
  private static let processorTimeColumn = 3

  /// Returns the total processor time of attempts; empty if they had no processes.
  private func processorTime(of attempts: [AttemptRecord]) -> String {
    let times = attempts.compactMap(\.processorTime)
    return times.isEmpty
      ? "" : DurationText.format(microseconds: times.reduce(0) { min($0, .max / 2) + min($1, .max / 2) })
  }

  /// Prints why a retry executed operations instead of reusing them.
  private func printCauses(_ recorded: RecordedRun) {
    let causes = recorded.operations.compactMap { operation in operation.causeOfRetry.map { (operation.title, $0) } }
    guard !causes.isEmpty else { return }
    var table = Table([.init("RAN AGAIN", names: true), .init("BECAUSE")])
    for (title, cause) in causes { table.add(title, TerminalText.oneLine(cause)) }
    TextOutput.standard.write("\n" + table.render(width: shared.tableWidth, style: shared.style))
  }

  /// The number of failed operations whose last log lines are shown.
  private static let mostFailures = 3

  /// Prints the last log lines of failed operations, as `explain` does.
  private func printFailures(_ recorded: RecordedRun, _ reference: RunReference) {
    guard recorded.run.state == .failed else { return }
    let history = reference.history
    let short = reference.short(recorded.run.id)
    let failed = RunExplanation(
      of: recorded, pipeline: nil, operation: nil, shortID: short,
      nestedRuns: { history.nested(in: $0, operation: $1) }
    ).entries.filter { $0.operation != nil && $0.state == OperationState.failed.rawValue }
    let text = ExplanationText(
      shortID: short, pipeline: recorded.run.pipeline, workspace: history.workspace.directory, style: shared.style,
      width: shared.tableWidth)
    for entry in failed.prefix(Self.mostFailures) { TextOutput.standard.write("\n" + text.text(of: entry)) }
    let rest = failed.count - Self.mostFailures
    if rest > 0 {
      TextOutput.standard.writeLine(
        "\n\(Count.of(rest, "more operation")) failed: \(CommandHint.command("penstock explain \(short)"))")
    }
  }

  private func printArtifacts(_ recorded: RecordedRun) {
    let artifacts = RunArtifact.all(of: recorded.operations)
    guard !artifacts.isEmpty else { return }
    TextOutput.standard.write(
      "\n" + ArtifactText.table(artifacts).render(width: shared.tableWidth, style: shared.style))
  }

  private func add(
    _ operation: OperationRecord, _ attempts: [AttemptRecord], to table: inout Table, indentation: String
  ) {
    let reason = StateReason.text(of: operation, now: operation.state.isFinal ? nil : .now)
    let end = operation.endedAt ?? (operation.state == .running ? .now : nil)
    table.add(
      indentation + operation.title, StateReason.word(of: operation),
      DurationText.format(from: operation.startedAt, to: end), processorTime(of: attempts),
      operation.attempts > 0 ? String(operation.attempts) : "",
      TerminalText.fitted(TerminalText.oneLine(reason.isEmpty ? RunText.result(operation.result) : reason), width: 200))
    // A single attempt adds nothing to its operation.
    guard attempts.count > 1 else { return }
    for attempt in attempts {
      let end = attempt.endedAt ?? (attempt.state == .running ? .now : nil)
      table.add(
        "\(indentation)  attempt \(attempt.number)", attempt.state.rawValue,
        DurationText.format(from: attempt.startedAt, to: end), processorTime(of: [attempt]), "",
        StateReason.text(of: attempt, width: 80))
    }
  }

  private func printCSV(_ operations: [OperationRecord]) {
    let output = TextOutput.standard
    output.writeCSV([
      "operation", "state", "reason", "attempts", "started_at", "ended_at", "error_code", "error", "result",
      "label",
    ])
    for operation in operations where !output.isGone {
      var result = ""
      if case .inline(let text) = operation.result { result = text }
      output.writeCSV([
        operation.name, operation.state.rawValue, operation.reason ?? "", String(operation.attempts),
        operation.startedAt?.text ?? "", operation.endedAt?.text ?? "", operation.error?.code ?? "",
        operation.error?.message ?? "", result, operation.label ?? "",
      ])
    }
  }
}
