import PipelineLanguage
import RunHistory

/// An error: a reference does not resolve to a run, or to an operation of a run.
package enum RunReferenceError: ServiceError {
  /// A run and its short id for display.
  package struct Candidate: Sendable, Hashable {
    package let short: String
    package let run: RunRecord
  }

  /// What exists instead of the requested run.
  package enum Nearest: Sendable, Hashable {
    /// Nothing has run in the workspace yet.
    case nothing
    /// The reference is the name or the file of a pipeline, whose latest run this is.
    case pipeline(latest: Candidate)
    /// A run with a similar id.
    case run(Candidate)
    /// Nothing is similar; the latest run of any pipeline.
    case unlike(latest: Candidate)
  }

  case unknownRun(String, workspace: String, nearest: Nearest)
  /// Neither a run nor a pipeline has that name. `near` is the pipeline that was probably meant.
  case unknownRunOrPipeline(String, workspace: String, near: String?, nearest: Nearest)
  case ambiguous(String, [Candidate])
  /// `near` is the name that was probably meant; `names` lists all that exist.
  case unknownOperation(String, of: Candidate, near: String?, names: [String])
  /// Several items have that label; they are listed, each with its number.
  case ambiguousItem(String, of: Candidate, [String])
  /// An item of a loop that was reused as a whole from the run `source`.
  case reusedItem(String, of: Candidate, source: String)
  /// An operation on a path has not started a nested run. `item` is an item of it that has started one; `source` is the run that its result
  /// was reused from.
  case noNestedRun(operation: String, of: Candidate, item: String?, source: String?)

  package var code: String {
    switch self {
    case .unknownRun, .unknownRunOrPipeline: "unknown-run"
    case .ambiguous: "ambiguous-run"
    case .unknownOperation: "unknown-operation"
    case .ambiguousItem: "ambiguous-item"
    case .reusedItem: "reused-item"
    case .noNestedRun: "no-nested-run"
    }
  }

  package var description: String {
    switch self {
    case .unknownRun(let text, let workspace, let nearest):
      return Self.unknown(TerminalText.visible(text), workspace, nearest)
    case .unknownRunOrPipeline(let text, let workspace, let near, let nearest):
      return Self.neither(TerminalText.visible(text), workspace, near, nearest)
    case .ambiguous(let text, let candidates):
      let lines = candidates.map {
        "\n  \($0.short)  \(TerminalText.visible($0.run.pipeline))  \($0.run.state.rawValue), "
          + ClockText.dateAndTime($0.run.createdAt)
      }
      return "'\(text)' matches several runs:\(lines.joined())\nuse a longer prefix"
    case .unknownOperation(let name, let candidate, let near, let names):
      // Labels may contain commas.
      let separator = names.contains { $0.contains(", ") } ? "; " : ", "
      let listed = names.prefix(12).joined(separator: separator) + (names.count > 12 ? "\(separator)…" : "")
      let hint =
        near.map { "; did you mean '\($0)'?" }
        ?? (names.isEmpty ? "; none of its operations has begun" : "; it has \(listed)")
      return
        "run \(candidate.short) of \(candidate.run.pipeline) has no operation '\(TerminalText.visible(name))'\(hint)"
    case .ambiguousItem(let name, let candidate, let titles):
      let lines = titles.prefix(12).map { "\n  \($0)" }.joined()
      let rest = titles.count > 12 ? "\n  … \(titles.count - 12) more" : ""
      // A title is the name of an item, such as `convert[0]`, and its label.
      let example = titles.first?.prefix { $0 != " " } ?? "name[0]"
      return "'\(TerminalText.visible(name))' of run \(candidate.short) is the label of several items:\(lines)\(rest)\n"
        + "refer to one by its number, such as '\(example)'"
    case .reusedItem(let name, let candidate, let source):
      return
        "'\(TerminalText.visible(name))' is not in run \(candidate.short): the loop was reused from run \(source), which has its items"
    case .noNestedRun(let operation, let candidate, let item, let source):
      let hint =
        item.map { "; its items have: name one, as in '\(TerminalText.visible($0))'" }
        ?? source.map { "; it was reused from run \($0), which has it" } ?? ""
      return "'\(TerminalText.visible(operation))' of run \(candidate.short) has not started a nested run\(hint)"
    }
  }

  private static func neither(_ shown: String, _ workspace: String, _ near: String?, _ nearest: Nearest) -> String {
    let text = "there is neither a run nor a pipeline '\(shown)' in '\(workspace)'"
    if let near { return text + "; did you mean the pipeline '\(TerminalText.visible(near))'?" }
    switch nearest {
    case .run(let run):
      return text + "; did you mean run \(run.short) (\(run.run.pipeline), \(run.run.state.rawValue))?"
    case .pipeline, .nothing, .unlike:
      return text + "; `penstock status` lists the pipelines, `penstock history list` the runs"
    }
  }

  private static func unknown(_ shown: String, _ workspace: String, _ nearest: Nearest) -> String {
    switch nearest {
    case .nothing: "there is no run '\(shown)': nothing has run in the workspace '\(workspace)' yet"
    case .pipeline(let latest):
      "'\(shown)' is a pipeline, not a run; its latest run is \(latest.short) (\(latest.run.state.rawValue))"
    case .run(let near):
      "there is no run '\(shown)'; did you mean \(near.short) (\(near.run.pipeline), \(near.run.state.rawValue))?"
    case .unlike(let latest):
      "there is no run '\(shown)' in '\(workspace)'; the latest is \(latest.short) (\(latest.run.pipeline)). `penstock history list` shows more"
    }
  }
}
