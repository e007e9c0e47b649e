import Expressions
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

/// Prints what a run would do.
struct DryRun {
  let start: RunStart
  let history: History?
  let shared: SharedOptions
  /// What happens to operations that had succeeded, if it is a retry.
  var retried: RetriedOperations?
  /// The files named by `--params`, by the names of the params that they set.
  var origins: [String: String] = [:]

  private var pipeline: PipelineDefinition { start.pipeline }

  func show() throws {
    try start.check(in: history)
    let plan = try PlanDescription(
      of: pipeline, options: start.options,
      selected: start.options.trigger == .retry && !start.leavesOut ? nil : start.selected,
      history: history, retried: dispositions,
      items: retried?.items.mapValues { .init(again: $0.again, takenOver: $0.takenOver, cause: $0.cause) } ?? [:])
    shared.output.print {
      plan.steps.map { $0.jsonValue() }
    } text: {
      show(plan)
    }
  }

  private var dispositions: [Int: PlanDescription.Disposition] {
    guard let retried, let source = start.options.source else { return [:] }
    return retried.fates.mapValues { fate in
      switch fate {
      case .takenOver: .takenOver(source)
      case .runsAgain(let cause): .runsAgain(cause: cause)
      case .takenOverUnless(let names): .takenOverUnless(source, dependencies: names)
      }
    }
  }

  private func show(_ plan: PlanDescription) {
    let style = shared.style
    let output = TextOutput.standard
    let concurrency = pipeline.concurrency.map { ", at most \($0) at once" } ?? ""
    write(
      "\(style.paint(TerminalText.visible(pipeline.name), .bold)): \(Count.of(pipeline.operations.count, "operation"))\(concurrency)"
    )
    if !pipeline.parameters.isEmpty { showParameters(style) }
    for (name, text) in (start.options.labels ?? pipeline.labels).sorted(by: { $0.key < $1.key }) {
      write("  label \(TerminalText.visible(name)) = \(TerminalText.oneLine(text))")
    }
    for secret in pipeline.secrets {
      write("  secret \(TerminalText.visible(secret.name)) from \(origin(secret.origin))")
    }
    var event: PipelineDefinition.Event?
    for (number, step) in plan.steps.enumerated() {
      if step.event != event, let next = step.event {
        output.writeLine("\nafter \(next.rawValue)")
        event = next
      }
      show(step, number: step.event == nil ? number + 1 : nil, style)
    }
    output.writeLine("")
    if let text = secretsText(plan) { write(text) }
    output.writeLine("Dry run: nothing was run.")
  }

  /// Returns a warning if a retry would reuse operations that received a secret: a changed secret would not be noticed.
  private func secretsText(_ plan: PlanDescription) -> String? {
    guard retried != nil else { return nil }
    let names = plan.steps.filter { step in
      switch step.disposition {
      case .takenOver, .takenOverUnless: step.definition.receivesSecret
      default: false
      }
    }.map(\.definition.name)
    guard let first = names.first else { return nil }
    let shown =
      names.count > 3
      ? names.prefix(3).map { "'\($0)'" }.joined(separator: ", ") + " and \(names.count - 3) more" : Self.list(names)
    return TerminalText.visible(
      "Secrets are not compared: \(shown) would be reused even if \(names.count == 1 ? "its" : "their") secrets have changed. "
        + "--from \(first) runs \(names.count == 1 ? "it" : "that one") again.")
  }

  private func showParameters(_ style: Style) {
    for parameter in pipeline.parameters {
      let value = start.options.parameters[parameter.name] ?? .null
      let origin = origin(of: parameter, value).map { style.paint(" (\(TerminalText.oneLine($0)))", .dim) } ?? ""
      write("  param \(TerminalText.visible(parameter.name)) = \(shown(value))\(origin)")
    }
  }

  /// Returns the origin of a param's value, unless it is from the command line or a former run: a file, or `default`.
  private func origin(of parameter: PipelineDefinition.Parameter, _ value: JSONValue) -> String? {
    if let file = origins[parameter.name] { return file }
    return parameter.defaultValue == value ? parameter.defaultFile ?? "default" : nil
  }

  private func origin(_ origin: PipelineDefinition.Secret.Origin) -> String {
    switch origin {
    case .environment(let name): "the variable \(TerminalText.visible(name))"
    case .file(let path): "the file \(TerminalText.visible(path))"
    case .command(let arguments): "the command \(TerminalText.visible(arguments.joined(separator: " ")))"
    }
  }

  private func show(_ step: PlanDescription.Step, number: Int?, _ style: Style) {
    let definition = step.definition
    let place = number.map { "\($0). " } ?? "- "
    var lines: [String] = []
    if let text = disposition(step.disposition) { lines.append(style.paint(text, .yellow)) }
    if let items = step.items { lines.append(style.paint(text(of: items), .yellow)) }
    if !step.needs.isEmpty {
      lines.append("after \(step.needs.map { TerminalText.visible($0) }.joined(separator: ", "))")
    }
    for given in step.inputs where given.input.arrival != .condition {
      let source = TerminalText.fitted(TerminalText.oneLine(given.input.source), width: 80)
      lines.append(
        "\(TerminalText.visible(given.input.arrival.text)) ← \(source)" + (given.value.map { " = \(shown($0))" } ?? ""))
    }
    if let condition = definition.condition { lines.append("when \(TerminalText.oneLine(condition.text))") }
    if let gate = definition.gateSummary { lines.append("runs when \(gate)") }
    if let staleness = definition.stalenessSummary { lines.append("an earlier success is stale \(staleness)") }
    if let value = step.value { lines.append("is \(shown(value))") }
    if let retry = definition.retrySummary { lines.append(retry) }
    if let timeout = definition.timeout { lines.append("at most \(DurationNotation.format(timeout)) an attempt") }
    if definition.allowFailure { lines.append("may fail") }
    if let result = definition.result { lines.append("result: \(result)") }
    let summary = TerminalText.fitted(definition.actionSummary, width: 100)
    let head =
      "\(place)\(style.paint(TerminalText.visible(definition.name), .bold))  \(style.paint(definition.actionKind, .dim)) \(summary)"
    TextOutput.standard.writeLine("")
    write(head, indentation: place.count)
    for line in lines {
      write(String(repeating: " ", count: place.count) + line, indentation: place.count + 2)
    }
  }

  private func write(_ line: String, indentation: Int = 4) {
    TextOutput.standard.writeLine(TerminalLines.wrapped(line, width: shared.tableWidth, indentation: indentation))
  }

  /// Returns, for example, `would run 2 of 200 items: convert[136] orders-0137.csv, convert[140] orders-0141.csv`.
  private func text(of items: PlanDescription.Items) -> String {
    let count = items.again.count + items.takenOver
    if let cause = items.cause {
      return "would run all \(Count.of(count, "item")) again: \(TerminalText.visible(cause))"
    }
    var text = "would run \(items.again.count) of \(Count.of(count, "item"))"
    let shown = items.again.prefix(Self.mostItems).map { NameText.fitted(cell: $0, width: 80) }
    if !shown.isEmpty { text += ": " + shown.joined(separator: ", ") }
    if items.again.count > shown.count { text += " and \(items.again.count - shown.count) more" }
    return items.takenOver > 0 ? text + "; the others would be reused if they are the same" : text
  }

  /// The maximum number of items of a loop that are named.
  private static let mostItems = 10

  private func disposition(_ disposition: PlanDescription.Disposition) -> String? {
    switch disposition {
    case .runs: nil
    case .skipped(let condition): "would be skipped: \(TerminalText.oneLine(StateReason.conditionIsFalse(condition)))"
    case .skippedWith(let dependency): "would be skipped with '\(TerminalText.visible(dependency))'"
    case .runsAgain(let cause): "would run again: \(TerminalText.visible(cause))"
    case .takenOverUnless(let run, let names):
      "would be reused from run \(run.short) if \(TerminalText.visible(Self.list(names))) \(names.count == 1 ? "ends" : "end") as before"
    case .takenOver(let run): "would be reused from run \(run.short)"
    case .leftOut: "would not run, and has no earlier result to reuse"
    case .mayBeReused(let run, let endedAt):
      "would be reused from run \(run.short) (\(ClockText.ago(endedAt))) if its inputs are the same"
    }
  }

  private static func list(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    return quoted.count < 2
      ? quoted.joined() : quoted.dropLast().joined(separator: ", ") + " and " + quoted[quoted.count - 1]
  }

  private func shown(_ value: JSONValue) -> String {
    TerminalText.fitted(TerminalText.oneLine(value.text), width: 80)
  }
}
