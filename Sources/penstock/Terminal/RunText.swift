import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Describes runs in words.
enum RunText {
  /// Returns the message for an empty list: that there are no runs, or that none matches `filters`, which are named as on the command line.
  /// A missing workspace has already been reported.
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

  /// Returns, for example, `--label, --state and --where`.
  static func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
  }

  /// Returns `4 operations`, or their outcomes if not all succeeded, such as `2 succeeded, 1 failed, 1 cancelled`; followed by the failed handlers.
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
    // If neither a person nor a time limit cancelled the run, other operations prevented these from beginning.
    let isCancelled = run.state == .cancelled || run.reason == RunReason.timeout.text
    let parts = [
      (counts.succeeded, "succeeded"), (counts.reused, "reused"), (counts.failed, "failed"),
      (counts.cancelled, isCancelled ? "cancelled" : StateReason.notRun), (counts.skipped, "skipped"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty ? Count.of(counts.operations, "operation") : parts.joined(separator: ", ")
  }

  /// Returns a result on one line, truncated to `width` characters.
  static func result(_ result: RecordedResult, width: Int = 60) -> String {
    switch result {
    case .none: return ""
    case .file(let path, let size): return "\(SizeNotation.format(size)) in \(path)"
    case .inline(let text):
      // Only as much as can be shown is read: a result may have a megabyte.
      let start = String(decoding: text.utf8.prefix(4 * width), as: UTF8.self)
      return TerminalText.fitted(TerminalText.oneLine(start), width: width)
    }
  }
}

extension Sequence where Element == OperationRecord {
  /// Returns the failed handlers among a run's operations, in the order of the file. Their ordinals come after those of the operations and before those of
  /// items.
  func failedHandlers(of run: RunRecord) -> [String] {
    filter { $0.state == .failed && $0.parent == nil && $0.ordinal >= run.counts.operations }
      .sorted { $0.ordinal < $1.ordinal }.map(\.name)
  }
}

extension RunRecord {
  /// The handler that made the run fail although all operations succeeded.
  var failedHandler: String? {
    let code = RunReason.handlerFailed("").text
    guard state == .failed, let reason, reason.hasPrefix(code) else { return nil }
    return String(reason.dropFirst(code.count))
  }
}
