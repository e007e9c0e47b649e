import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Runs in words.
enum RunText {
  /// What is said in place of an empty list: that there are no runs, or that none of them is what `filters` ask for, which are named as on the command line.
  /// Where there is no workspace, that has been said already.
  static func none(in history: History?, filters: [String] = [], pipeline: String? = nil) throws -> String {
    guard let history else { return "No runs." }
    let workspace = TerminalText.visible(history.workspace.directory)
    let names = try history.pipelineNames()
    guard !filters.isEmpty, !names.isEmpty else { return "No runs in '\(workspace)'." }
    let near = pipeline.flatMap { pipeline in
      names.contains(pipeline) ? nil : NearestName.suggestion(for: pipeline, among: names)
    }
    return "None of the runs in '\(workspace)' matches \(list(filters))"
      + (near.map { "; did you mean the pipeline '\(TerminalText.visible($0))'?" } ?? ".")
  }

  /// `--label, --state and --where`.
  static func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
  }

  /// `4 operations`, or what became of them when not all succeeded: `2 succeeded, 1 failed, 1 cancelled`; and behind that the handlers that failed.
  static func counts(_ run: RunRecord, failedHandlers: [String] = []) -> String {
    let failedHandlers = failedHandlers.isEmpty ? run.failedHandler.map { [$0] } ?? [] : failedHandlers
    guard !failedHandlers.isEmpty else { return operations(of: run) }
    let names = failedHandlers.prefix(3).map { "'\(TerminalText.visible($0))'" }
    let rest = failedHandlers.count > 3 ? " and \(failedHandlers.count - 3) more" : ""
    let noun = failedHandlers.count == 1 ? "handler" : "handlers"
    return "\(operations(of: run)), \(noun) \(names.joined(separator: ", "))\(rest) failed"
  }

  private static func operations(of run: RunRecord) -> String {
    let counts = run.counts
    guard run.state.isFinal, counts.succeeded != counts.operations else {
      return Count.of(counts.operations, "operation")
    }
    // Of a run that nobody and no time limit cancelled, the others kept them from beginning.
    let isCancelled = run.state == .cancelled || run.reason == RunReason.timeout.text
    let parts = [
      (counts.succeeded, "succeeded"), (counts.reused, "reused"), (counts.failed, "failed"),
      (counts.cancelled, isCancelled ? "cancelled" : StateReason.notRun), (counts.skipped, "skipped"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? Count.of(counts.operations, "operation") : parts.joined(separator: ", ")
  }

  /// A result on one line, cut to `width` characters.
  static func result(_ result: RecordedResult, width: Int = 60) -> String {
    switch result {
    case .none: return ""
    case .file(let path, let size): return "\(SizeNotation.format(size)) in \(path)"
    case .inline(let text):
      // Only what can be shown is read: a result may have a megabyte.
      let start = String(decoding: text.utf8.prefix(4 * width), as: UTF8.self)
      return TerminalText.fitted(TerminalText.oneLine(start), width: width)
    }
  }
}

extension Sequence where Element == OperationRecord {
  /// The handlers among the operations of a run that failed, in the order of the file. They come behind the operations, and before the items of loops.
  func failedHandlers(of run: RunRecord) -> [String] {
    filter { $0.state == .failed && $0.parent == nil && $0.ordinal >= run.counts.operations }
      .sorted { $0.ordinal < $1.ordinal }.map(\.name)
  }
}

extension RunRecord {
  /// The handler that made the run fail, although all operations were fine.
  var failedHandler: String? {
    let code = RunReason.handlerFailed("").text
    guard state == .failed, let reason, reason.hasPrefix(code) else { return nil }
    return String(reason.dropFirst(code.count))
  }
}
