import OperatingSystem
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Values

/// Prints a comparison of two runs as text.
struct ComparisonText {
  let comparison: RunComparison
  let reference: RunReference
  let style: Style
  let showsLogs: Bool
  private var output: TextOutput { .standard }

  /// The maximum width of a value, in columns.
  private static let longestValue = 80

  func print() {
    let (first, second) = (comparison.first, comparison.second)
    output.writeLine(style.paint("- ", .red) + describe(first))
    output.writeLine(style.paint("+ ", .green) + describe(second))
    guard !comparison.isSame || comparison.operations.contains(where: \.hasOtherDuration) else {
      return output.writeLine("\nNo differences.")
    }
    section("run", comparison.run)
    section("params", comparison.params)
    if !comparison.variables.isEmpty {
      title("variables")
      for change in comparison.variables { output.writeLine("  " + TerminalText.visible(text(of: change))) }
    }
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

  private func text(of change: VariableChange) -> String {
    let folder = comparison.second.path.map(PathText.directory) ?? ""
    let isBeside = !folder.isEmpty && change.file.hasPrefix(folder + "/")
    let file = isBeside ? String(change.file.dropFirst(folder.count + 1)) : change.file
    return switch change.kind {
    case .added: "the variable '\(change.name)' was added to '\(file)'"
    case .changed: "the variable '\(change.name)' of '\(file)' has changed"
    case .removed: "the variable '\(change.name)' was removed from '\(file)'"
    }
  }

  private func line(_ difference: RunComparison.Difference) -> String {
    "\(TerminalText.visible(difference.name)): \(value(difference.first, .red)) → \(value(difference.second, .green))"
  }

  private func value(_ text: String?, _ paint: Style.Paint) -> String {
    guard let text else { return style.paint("none", .dim) }
    // Only as much as is shown is read: a result may have a megabyte.
    let start = String(decoding: text.utf8.prefix(4 * Self.longestValue), as: UTF8.self)
    return style.paint(TerminalText.fitted(TerminalText.oneLine(start), width: Self.longestValue), paint)
  }

  private func show(_ operation: RunComparison.Operation) {
    output.writeLine("  " + TerminalText.name(operation.name, label: operation.label))
    for var difference in operation.differences {
      if difference.name == "reused_from" { difference = origin(difference) }
      output.writeLine("    " + line(difference))
    }
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

  /// Returns the runs that a result was reused from, by short id.
  private func origin(_ difference: RunComparison.Difference) -> RunComparison.Difference {
    func short(_ id: String?) -> String? { id.map { id in RunID(id).map(reference.short) ?? id } }
    var shown = difference
    shown.name = "reused from"
    (shown.first, shown.second) = (short(difference.first), short(difference.second))
    return shown
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
