import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

/// Lays a comparison of two runs out for a person.
struct ComparisonText {
  let comparison: RunComparison
  let reference: RunReference
  let style: Style
  let showsLogs: Bool
  private var output: TextOutput { .standard }

  /// Values are cut to this many columns.
  private static let longestValue = 80

  func print() {
    let (first, second) = (comparison.first, comparison.second)
    output.writeLine(style.paint("- ", .red) + describe(first))
    output.writeLine(style.paint("+ ", .green) + describe(second))
    guard !comparison.isSame || comparison.operations.contains(where: \.hasOtherDuration) else {
      return output.writeLine("\nNothing is different.")
    }
    section("run", comparison.run)
    section("params", comparison.params)
    if !comparison.definition.isEmpty {
      title("definition")
      lines(comparison.definition, indentation: "  ")
    }
    if !comparison.operations.isEmpty { title("operations") }
    for operation in comparison.operations { show(operation) }
  }

  private func describe(_ run: RunRecord) -> String {
    let took = DurationText.format(from: run.startedAt, to: run.endedAt)
    return "run \(style.paint(reference.short(run.id), .bold)) of \(TerminalText.visible(run.pipeline)) "
      + style.paint(run.state.rawValue, StatePaint.of(run.state)) + (took.isEmpty ? "" : " in \(took)") + ", "
      + ClockText.dateAndTime(run.startedAt ?? run.createdAt)
  }

  private func title(_ text: String) {
    output.writeLine("\n" + style.paint(text, .bold))
  }

  private func section(_ name: String, _ differences: [RunComparison.Difference]) {
    guard !differences.isEmpty else { return }
    title(name)
    for difference in differences { output.writeLine("  " + line(difference)) }
  }

  private func line(_ difference: RunComparison.Difference) -> String {
    "\(TerminalText.visible(difference.name)): \(value(difference.first, .red)) → \(value(difference.second, .green))"
  }

  private func value(_ text: String?, _ paint: Style.Paint) -> String {
    guard let text else { return style.paint("none", .dim) }
    // Only what is shown is read: a result may have a megabyte.
    let start = String(decoding: text.utf8.prefix(4 * Self.longestValue), as: UTF8.self)
    return style.paint(TerminalText.fitted(TerminalText.oneLine(start), width: Self.longestValue), paint)
  }

  private func show(_ operation: RunComparison.Operation) {
    output.writeLine("  " + TerminalText.name(operation.name, label: operation.label))
    for difference in operation.differences { output.writeLine("    " + line(difference)) }
    if operation.hasOtherDuration, let first = operation.firstDuration, let second = operation.secondDuration {
      func text(_ milliseconds: Double) -> String { DurationText.format(microseconds: Int64(milliseconds * 1000)) }
      output.writeLine("    took: \(style.paint(text(first), .red)) → \(style.paint(text(second), .green))")
    }
    for log in operation.logs {
      let hint = showsLogs ? "" : " (--logs shows them)"
      let counts = "\(Count.of(log.lines.removed, "line")) removed, \(log.lines.added) added"
      output.writeLine("    \(log.stream): \(counts)\(hint)")
      if showsLogs { lines(log.lines, indentation: "      ") }
    }
  }

  private func lines(_ difference: LineDifference, indentation: String) {
    for line in difference.text {
      let paint: Style.Paint? =
        switch line.first {
        case "-": .red
        case "+": .green
        case "…": .dim
        default: nil
        }
      output.writeLine(indentation + style.paint(TerminalText.visible(line), paint))
    }
  }
}
